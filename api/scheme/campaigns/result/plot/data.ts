import type { Decimal } from "../../../emissions/index.ts";
import type { GroupResult } from "../result.ts";

/** A group as it is drawn: floats, for a place on paper has no more digits. All in kg a day, of a household or of the committed unit. */
export type GroupPlot = {
  /** Ascending. */
  values: number[];
  outliers: Set<number>;
  mean: number | null;
  bounds: { low: number; high: number } | null;
  /** Quartiles, and the last values within the fences. */
  box: { least: number; lower: number; median: number; upper: number; greatest: number } | null;
};

/** What is drawn of a group. */
export function plotOf({ households, statistics }: GroupResult): GroupPlot {
  const { mean, lowerBound, upperBound, quartiles } = statistics;
  const all = households.map(({ totalGrams, divisor }) => {
    return (Number(totalGrams) * Number(divisor.denominator)) / (1000 * Number(divisor.numerator));
  });
  const outliers = new Set(statistics.outliers.map(({ index }) => all[index] as number));
  const values = Array.from(Float64Array.from(all).sort());
  const within = values.filter((value) => !outliers.has(value));
  const least = within[0];
  const greatest = within.at(-1);
  const box = quartiles === null || least === undefined || greatest === undefined ? null : { least, greatest };
  return {
    values,
    outliers,
    mean: numberOf(mean),
    bounds:
      lowerBound === null || upperBound === null ? null : { low: lowerBound.toNumber(), high: upperBound.toNumber() },
    box: box && {
      ...box,
      lower: numberOf(quartiles?.lower ?? null) ?? 0,
      median: numberOf(quartiles?.median ?? null) ?? 0,
      upper: numberOf(quartiles?.upper ?? null) ?? 0,
    },
  };
}

function numberOf(value: Decimal | null): number | null {
  return value === null ? null : value.toNumber();
}

/** Values that a density is estimated from: as many quantiles as tell its shape where there are more. */
export function sampleOf(values: readonly number[], most = 2_000): number[] {
  if (values.length <= most) return [...values];
  return Array.from({ length: most }, (_, i) => values[Math.floor(((i + 0.5) * values.length) / most)] as number);
}
