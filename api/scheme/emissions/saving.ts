import { type Decimal, decimal } from "./decimal.ts";
import { conservativeValue, describeRatios, type GroupStatistics, type Ratio } from "./statistics.ts";
import { type Convention, tInterval } from "./t-quantile.ts";

/** Fuel that the intervention group saves compared with the reference group, in the groups' unit; null if too few values. */
export type Saving = {
  convention: Convention;
  mean: Decimal | null;
  /** Saving ÷ reference mean. */
  share: Decimal | null;
  standardError: Decimal | null;
  degreesOfFreedom: Decimal | null;
  halfWidth: Decimal | null;
  lowerBound: Decimal | null;
  upperBound: Decimal | null;
  precision: Decimal | null;
  /** The value to calculate with: the difference of the groups' conservative values. */
  conservative: Decimal | null;
};

/**
 * Calculate the saving between two independent groups; bounds by Welch's t with the degrees of freedom of Satterthwaite.
 * Both groups must have been described by the same convention.
 */
export function describeSaving(reference: GroupStatistics, intervention: GroupStatistics): Saving {
  const { convention } = reference;
  if (intervention.convention !== convention) throw new RangeError("Both groups need one convention.");
  const mean = difference(reference.mean, intervention.mean);
  const share = mean === null || reference.mean === null || reference.mean.isZero() ? null : mean.div(reference.mean);
  const baseline = conservativeValue(reference, "lower");
  const activity = conservativeValue(intervention, "upper");
  const conservative = difference(baseline?.value ?? null, activity?.value ?? null);
  return { convention, mean, share, ...spread(reference, intervention, mean), conservative };
}

/**
 * Calculate the saving of households that were measured before and after: the mean of their differences, with Student's t.
 * `conservative` is the mean where its half-width is at most a tenth of it, else the lower bound.
 * @param reference statistics of all households before; the saving is stated as a share of their mean
 */
export function describePairedSaving(
  pairs: readonly (readonly [before: Ratio, after: Ratio])[],
  reference: GroupStatistics,
): Saving {
  const { convention } = reference;
  const differences = pairs.map(([a, b]) => ({
    numerator: a.numerator * b.denominator - b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  }));
  const { n, mean, standardError, halfWidth, lowerBound, upperBound } = describeRatios(differences, convention);
  const share = mean === null || reference.mean === null || reference.mean.isZero() ? null : mean.div(reference.mean);
  const precision = mean === null || halfWidth === null || mean.isZero() ? null : halfWidth.div(mean.abs());
  return {
    convention,
    mean,
    share,
    standardError,
    degreesOfFreedom: standardError === null ? null : decimal(n - 1),
    halfWidth,
    lowerBound,
    upperBound,
    precision,
    conservative: precision?.lte("0.1") ? mean : lowerBound,
  };
}

function difference(a: Decimal | null, b: Decimal | null): Decimal | null {
  return a === null || b === null ? null : a.minus(b);
}

function spread(reference: GroupStatistics, intervention: GroupStatistics, mean: Decimal | null) {
  const { standardError: a, n: m } = reference;
  const { standardError: b, n } = intervention;
  if (mean === null || a === null || b === null) return unknown;
  const variance = a.pow(2).plus(b.pow(2));
  const parts = a
    .pow(4)
    .div(m - 1)
    .plus(b.pow(4).div(n - 1));
  const degreesOfFreedom = parts.isZero() ? decimal(m + n - 2) : variance.pow(2).div(parts);
  return tInterval(mean, variance, degreesOfFreedom, reference.convention);
}

const unknown = {
  standardError: null,
  degreesOfFreedom: null,
  halfWidth: null,
  lowerBound: null,
  upperBound: null,
  precision: null,
};
