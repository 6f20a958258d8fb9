import { type Decimal, decimal } from "./decimal.ts";

/** A value beyond 1.5 interquartile ranges. `index` is its place among the values given. */
export type Outlier = { index: number; value: Decimal; side: "low" | "high" };

const reach = decimal("1.5");

/**
 * Name the values outside 1.5 interquartile ranges (quartiles of type 7); none is dropped. `keys` order the values, each a bigint
 * of the same scale.
 */
export function findOutliers(values: readonly Decimal[], keys: readonly bigint[]): Outlier[] {
  if (values.length === 0) return [];
  const order = keys.map((key, index) => ({ key, index })).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const sorted = order.map(({ index }) => values[index] as Decimal);
  const lower = quantileOfSorted(sorted, decimal("0.25"));
  const upper = quantileOfSorted(sorted, decimal("0.75"));
  const fence = upper.minus(lower).times(reach);
  const low = lower.minus(fence);
  const high = upper.plus(fence);
  const found: Outlier[] = [];
  for (const [index, value] of values.entries()) {
    if (value.lt(low)) found.push({ index, value, side: "low" });
    else if (value.gt(high)) found.push({ index, value, side: "high" });
  }
  return found;
}

/** Quantile of type 7 (Hyndman and Fan 1996) of values in ascending order: linear between ranks (n − 1)·p. */
export function quantileOfSorted(sorted: readonly Decimal[], p: Decimal): Decimal {
  const rank = p.times(sorted.length - 1);
  const below = rank.floor().toNumber();
  const start = sorted[below];
  if (start === undefined) throw new RangeError("A quantile needs at least one value and p from 0 to 1.");
  const next = sorted[below + 1] ?? start;
  return start.plus(rank.minus(below).times(next.minus(start)));
}
