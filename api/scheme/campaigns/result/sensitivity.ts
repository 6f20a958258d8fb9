import {
  type Convention,
  describeRatios,
  describeSaving,
  type GroupStatistics,
  type Ratio,
  type Saving,
} from "../../emissions/index.ts";
import type { Group } from "../groups.ts";
import { dailyFuel, type MeasuredHousehold } from "./households.ts";

export const sensitivityAssumption =
  "Each drawn household without a measurement counts against the project: a reference household as using no fuel, an intervention household as using the mean of the measured reference households.";

/** Both groups and the saving, with the households that were not measured counted against the project. */
export type SensitiveGroups = Record<Group, GroupStatistics> & { saving: Saving };

const nothing: Ratio = { numerator: 0n, denominator: 1n };

/** @param unmeasured drawn households without a measurement, by group */
export function withUnmeasured(
  measured: Record<Group, readonly MeasuredHousehold[]>,
  unmeasured: Record<Group, number>,
  convention: Convention,
): SensitiveGroups {
  const values = {
    reference: measured.reference.map(dailyFuel),
    intervention: measured.intervention.map(dailyFuel),
  };
  const mean = meanOf(values.reference);
  const without = (count: number, value: Ratio | null) =>
    value === null ? [] : Array.from({ length: count }, () => value);
  const reference = describeRatios([...values.reference, ...without(unmeasured.reference, nothing)], convention);
  const intervention = describeRatios([...values.intervention, ...without(unmeasured.intervention, mean)], convention);
  return { reference, intervention, saving: describeSaving(reference, intervention) };
}

/** The exact mean; null of no value. */
function meanOf(ratios: readonly Ratio[]): Ratio | null {
  if (ratios.length === 0) return null;
  const byDenominator = new Map<bigint, bigint>();
  for (const { numerator, denominator } of ratios) {
    byDenominator.set(denominator, (byDenominator.get(denominator) ?? 0n) + numerator);
  }
  let sum = nothing;
  for (const [denominator, numerator] of byDenominator) {
    sum = {
      numerator: sum.numerator * denominator + numerator * sum.denominator,
      denominator: sum.denominator * denominator,
    };
  }
  return { numerator: sum.numerator, denominator: sum.denominator * BigInt(ratios.length) };
}
