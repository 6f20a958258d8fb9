import type { Decimal } from "../decimal.ts";
import type { FuelId } from "../fuels.ts";
import type { MethodResult, Minimums } from "../methods/definition.ts";
import { atLeastZero, type Estimate, estimateDifference, estimateMean, oneStratum, usableValue } from "./estimate.ts";
import { differencesOf, type Household, observationsOf } from "./households.ts";
import type { CampaignInput, TestGroup } from "./input.ts";
import { strataByShare } from "./strata.ts";

/** What both groups burn of one fuel, kg (kWh) a household and day. */
export type FuelUse = {
  fuel: FuelId;
  reference: Estimate;
  intervention: Estimate;
  saving: Estimate;
  /** What the calculation uses, and how it was taken. */
  baseline: Decimal;
  project: Decimal;
  taken: string;
};

/** One evaluation of a campaign: the fuel of both groups, none of which a method that reads meters needs, and the reduction. */
export type Reading = { fuels: FuelUse[]; result: MethodResult };

type Estimated = Pick<CampaignInput, "strata" | "convention" | "design" | "precision">;
type Rules = { precision: Minimums["precision"] };

/**
 * Estimate one fuel and take what the method's precision rule allows.
 * @returns null where a group or a stratum has fewer than two households
 */
export function estimateFuel(
  { strata: named, convention, design, precision: committed }: Estimated,
  groups: Record<TestGroup, Household[]>,
  fuel: FuelId,
  { precision: { of, limit: ofMethod } }: Rules,
): FuelUse | null {
  const limit = committed?.lt(ofMethod) ? committed : ofMethod;
  const strata = named === undefined ? oneStratum : strataByShare(named);
  const estimate = (group: TestGroup) => estimateMean(observationsOf(groups[group], fuel), strata, convention);
  const [reference, intervention] = [estimate("reference"), estimate("intervention")];
  if (reference === null || intervention === null) return null;
  const saving =
    design === "paired"
      ? estimateMean(differencesOf(groups, fuel), strata, convention)
      : estimateDifference(reference, intervention, convention);
  if (saving === null) return null;
  const estimates = { fuel, reference, intervention, saving };
  if (design === "paired" || of === "saving") {
    const { value, taken } = usableValue(saving, limit, "lower");
    const used = reference.mean.minus(value);
    return { ...estimates, baseline: reference.mean, project: atLeastZero(used), taken: `${taken} of the saving` };
  }
  const baseline = usableValue(reference, limit, "lower");
  const project = usableValue(intervention, limit, "upper");
  return {
    ...estimates,
    baseline: atLeastZero(baseline.value),
    project: project.value,
    taken: `${baseline.taken} of the reference, ${project.taken} of the intervention`,
  };
}
