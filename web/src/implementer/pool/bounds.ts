/** 100 %, in hundredths of a percent. */
const wholeShare = 10_000n;

/** The minimum output of a swap for a price tolerance in hundredths of a percent; rounded up, in the buyer's favour. */
export function minimumOut(quoted: bigint, toleranceBps: bigint): bigint {
  if (toleranceBps < 0n || toleranceBps > wholeShare)
    throw new RangeError(`${toleranceBps} is not between 0 and 10000 hundredths of a percent.`);
  return (quoted * (wholeShare - toleranceBps) + wholeShare - 1n) / wholeShare;
}
