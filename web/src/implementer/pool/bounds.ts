/** Hundredths of a percent. */
const wholeShare = 10_000n;

/** The least that may come out of a swap when the price may move by so many hundredths of a percent; rounded up, for the buyer. */
export function leastOut(quoted: bigint, toleranceBps: bigint): bigint {
  if (toleranceBps < 0n || toleranceBps > wholeShare) throw new RangeError(`${toleranceBps} is no share.`);
  return (quoted * (wholeShare - toleranceBps) + wholeShare - 1n) / wholeShare;
}
