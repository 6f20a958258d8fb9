/** `Math.min` and `Math.max` do not support bigints. */
export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
