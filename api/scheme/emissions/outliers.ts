import { type Decimal, decimal } from "./decimal.ts";

/** A value beyond 1.5 interquartile ranges. `index` is its position in the given values. */
export type Outlier = { index: number; value: Decimal; side: "low" | "high" };

/** First quartile, median and third quartile, of type 7 (Hyndman and Fan 1996): linear between ranks (n − 1)·p. */
export type Quartiles = { lower: Decimal; median: Decimal; upper: Decimal };

/** Quartiles in quarters of a unit, where those of whole numbers are whole. */
type Quarters = { lower: bigint; median: bigint; upper: bigint };

/**
 * Calculate the quartiles of values in whole parts, and find the values outside 1.5 interquartile ranges; none is dropped.
 * @param parts each value's number of parts
 * @param perUnit parts per unit of the result
 */
export function findOutliers(
  parts: readonly bigint[],
  perUnit: bigint,
): { quartiles: Quartiles | null; outliers: Outlier[] } {
  if (parts.length === 0) return { quartiles: null, outliers: [] };
  const quarters = quartersOf(inOrder(parts));
  // In eighths of a part: quartiles are multiples of a quarter, and 1.5 times a range of quarters is a multiple of an eighth.
  const fence = 3n * (quarters.upper - quarters.lower);
  const low = 2n * quarters.lower - fence;
  const high = 2n * quarters.upper + fence;
  const outliers: Outlier[] = [];
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as bigint;
    const eighths = 8n * part;
    if (eighths >= low && eighths <= high) continue;
    outliers.push({ index, value: inUnits(part, perUnit), side: eighths < low ? "low" : "high" });
  }
  const shown = (quarter: bigint) => inUnits(quarter, 4n * perUnit);
  const quartiles = { lower: shown(quarters.lower), median: shown(quarters.median), upper: shown(quarters.upper) };
  return { quartiles, outliers };
}

export function inUnits(parts: bigint, perUnit: bigint): Decimal {
  return decimal(parts).div(decimal(perUnit));
}

function quartersOf(sorted: ArrayLike<bigint>): Quarters {
  const at = (quarter: number) => {
    const rank = (sorted.length - 1) * quarter;
    const below = sorted[Math.floor(rank / 4)] as bigint;
    const above = sorted[Math.ceil(rank / 4)] as bigint;
    return 4n * below + BigInt(rank % 4) * (above - below);
  };
  return { lower: at(1), median: at(2), upper: at(3) };
}

const most = 2n ** 63n - 1n;

/** Sort ascending. Values of 64 bits are sorted without a comparison function, three times as fast. */
function inOrder(parts: readonly bigint[]): ArrayLike<bigint> {
  if (parts.every((part) => part <= most && part >= -most)) return BigInt64Array.from(parts).sort();
  return parts.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
