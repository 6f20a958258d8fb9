/** This many different words, so that a lost or repeated one is noticed. */
export const words = (count: number): string[] => Array.from({ length: count }, (_, i) => (i === 0 ? "w0" : ` w${i}`));

/** The text of these words once, in order. */
export const spoken = (count: number): string => words(count).join("");
