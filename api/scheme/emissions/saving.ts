import { type Decimal, decimal } from "./decimal.ts";
import { conservativeValue, type GroupStatistics } from "./statistics.ts";
import { type Convention, tOf } from "./t-quantile.ts";

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
  const standardError = variance.sqrt();
  const halfWidth = tOf(reference.convention, degreesOfFreedom.toNumber()).times(standardError);
  return {
    standardError,
    degreesOfFreedom,
    halfWidth,
    lowerBound: mean.minus(halfWidth),
    upperBound: mean.plus(halfWidth),
    precision: mean.isZero() ? null : halfWidth.div(mean.abs()),
  };
}

const unknown = {
  standardError: null,
  degreesOfFreedom: null,
  halfWidth: null,
  lowerBound: null,
  upperBound: null,
  precision: null,
};
