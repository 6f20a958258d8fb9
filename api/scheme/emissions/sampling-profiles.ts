import { type Decimal, decimal } from "./decimal.ts";
import { requiredSampleSize } from "./sample-size.ts";
import type { Convention } from "./t-quantile.ts";

/** How sure a result has to be: level of confidence, and greatest half-width ÷ what the method judges. */
export type SamplingProfile = { level: Decimal; precision: Decimal; convention: Convention };

export const profileIds = ["90/10", "90/30", "95/5"] as const;
export type ProfileId = (typeof profileIds)[number];

/** Source: CDM "Sampling and surveys for CDM project activities" (90/10, 95/5); Gold Standard TPDDTEC (90/30, on the saving). */
export const samplingProfiles: Readonly<Record<ProfileId, SamplingProfile>> = {
  "90/10": { level: decimal("0.9"), precision: decimal("0.1"), convention: "two-sided-90" },
  "90/30": { level: decimal("0.9"), precision: decimal("0.3"), convention: "two-sided-90" },
  "95/5": { level: decimal("0.95"), precision: decimal("0.05"), convention: "two-sided-95" },
};

/** Smallest sample of a group that the methods accept, whatever the variation. */
const leastSample = 30;

export type SamplePlan = {
  population: number;
  coefficientOfVariation: Decimal;
  profile: ProfileId;
  /** Share of the drawn households that is expected to drop out, from 0 to below 1. */
  dropOut: Decimal;
};

/**
 * Plan a sample: what the precision needs, at least 30, divided by 1 − drop-out; never more than the population.
 * @throws AppError RULE_VIOLATION naming every figure that is out of range
 */
export function plannedSampleSize({ population, coefficientOfVariation, profile, dropOut }: SamplePlan): number {
  const { precision, convention } = samplingProfiles[profile];
  const needed = requiredSampleSize({ population, coefficientOfVariation, precision, convention });
  const drawn = decimal(Math.max(needed, leastSample)).div(decimal(1).minus(dropOut));
  return Math.min(population, drawn.ceil().toNumber());
}
