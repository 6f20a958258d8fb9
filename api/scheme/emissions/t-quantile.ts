import lowerTailQuantile from "@stdlib/stats-base-dists-t-quantile";
import { type Decimal, decimal } from "./decimal.ts";

/** Conventions of a confidence interval; each result names its own. */
export const conventions = ["two-sided-90", "one-sided-90", "two-sided-95"] as const;
export type Convention = (typeof conventions)[number];

/** Probability beyond the upper limit of each convention. */
export const upperTails: Record<Convention, number> = {
  "two-sided-90": 0.05,
  "one-sided-90": 0.1,
  "two-sided-95": 0.025,
};

/** Level of confidence of a convention, in percent. */
export function levelPercent(convention: Convention): number {
  return convention === "two-sided-95" ? 95 : 90;
}

/**
 * Calculate the t beyond which Student's distribution leaves `upperTail` (0 to 1). It uses the lower tail, which a float holds
 * precisely even if it is small; 1 − upperTail would lose digits.
 */
export function tQuantile(upperTail: number, degreesOfFreedom: number): number {
  const found = -lowerTailQuantile(upperTail, degreesOfFreedom);
  if (!Number.isFinite(found)) {
    throw new RangeError(`There is no t quantile for tail ${upperTail} and ${degreesOfFreedom} degrees of freedom.`);
  }
  return found;
}

/** t(0.95, df) for two-sided-90, t(0.90, df) for one-sided-90, t(0.975, df) for two-sided-95. */
export function tOf(convention: Convention, degreesOfFreedom: number): Decimal {
  return decimal(tQuantile(upperTails[convention], degreesOfFreedom).toString());
}

/** Calculate the interval of a mean with this variance, by Student's t. */
export function tInterval(mean: Decimal, variance: Decimal, degreesOfFreedom: Decimal, convention: Convention) {
  const standardError = variance.sqrt();
  const halfWidth = tOf(convention, degreesOfFreedom.toNumber()).times(standardError);
  return {
    standardError,
    degreesOfFreedom,
    halfWidth,
    lowerBound: mean.minus(halfWidth),
    upperBound: mean.plus(halfWidth),
    precision: mean.isZero() ? null : halfWidth.div(mean.abs()),
  };
}
