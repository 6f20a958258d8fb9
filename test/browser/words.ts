/** So many words that are all different: a lost one shows, and so does one that came twice. */
export const words = (count: number): string[] => Array.from({ length: count }, (_, i) => (i === 0 ? "w0" : ` w${i}`));

/** What is shown when all of them came, once and in order. */
export const spoken = (count: number): string => words(count).join("");
