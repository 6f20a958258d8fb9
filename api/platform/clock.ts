/** Real time, for keys, tokens and records. Rules of the scheme use chain time instead. */
export type Clock = { now: () => Date };
