// How shapes are compared that two sides of the wire each declare for themselves: a line that does not compile is a drift.

/** Fails to compile unless what one side gives, the other takes. */
export type Takes<Taken, Given extends Taken> = Given;

/** The same names on both sides, but for those that one side keeps to itself. */
export type SameNames<A, B, Apart extends string = never> =
  Exclude<keyof A | keyof B, Apart> extends keyof A & keyof B
    ? true
    : Exclude<keyof A | keyof B, (keyof A & keyof B) | Apart>;

/** Every name that is read is given; more may be given than is read. `true`, or the names that are not given. */
export type Reads<Read, Given> = [Exclude<keyof Read, keyof Given>] extends [never]
  ? true
  : Exclude<keyof Read, keyof Given>;

/** The very same words on both sides. `true`, or those of one side alone. */
export type SameWords<A, B> = [Exclude<A | B, A & B>] extends [never] ? true : Exclude<A | B, A & B>;

export type IsTrue<T extends true> = T;
