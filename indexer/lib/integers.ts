/** The largest number of a column of integers, and of an `Int` in GraphQL. */
export const largestInteger = 2 ** 31 - 1;

/** A contract's number of 32 bits as such a column holds it: a larger one becomes the largest. */
export const toInteger = (value: number): number => Math.min(value, largestInteger);
