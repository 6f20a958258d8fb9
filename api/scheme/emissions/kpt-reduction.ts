import { AppError, type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import type { Decimal } from "./decimal.ts";
import {
  co2Factors,
  type Fuel,
  netCalorificValues,
  nonCo2Factors,
  type RenewabilityArea,
  type Sourced,
} from "./defaults.ts";
import { resolveFnrb } from "./fnrb.ts";
import { measuredActivity, measuredBaseline, minimumServiceBaseline } from "./fuel-use.ts";
import { type Line, line } from "./lines.ts";
import type { Pair } from "./methods/method.ts";
import { type CalculatedReduction, type CalculationInput, calculateReduction } from "./methods.ts";
import type { GroupStatistics } from "./statistics.ts";
import type { Convention } from "./t-quantile.ts";
import { surveyedUsage, type UsageSurvey } from "./usage.ts";

type MethodParams = { [I in CalculationInput as I["method"]]: Pick<I, "method" | "params"> };

/** Figures of a KPT campaign and its programme. Group statistics are in kg per household and day. */
export type KptReductionInput = MethodParams[keyof MethodParams] & {
  reference: GroupStatistics;
  intervention: GroupStatistics;
  /** Both groups burn it; factors are its defaults. */
  fuel: Fuel;
  householdSize: Decimal;
  /** Origin of the household size, for its line; "given" if absent. */
  householdSizeSource?: string | undefined;
  /** P_b from the reference group, or option B. */
  baseline: "measured" | "minimum-service";
  units: Decimal;
  /** A share, or the survey whose lower bound is used. */
  usage: Decimal | UsageSurvey;
  area: RenewabilityArea;
  fnrb?: Decimal | undefined;
  fnrbApproval?: string | undefined;
};

export type KptReduction = CalculatedReduction & { convention: Convention };

/**
 * Calculate the reduction that a KPT shows: the fuel of each group, usage and fNRB, each with its lines, then the method.
 * @throws AppError RULE_VIOLATION naming every broken rule of all steps
 */
export function reductionFromKpt(input: KptReductionInput): KptReduction {
  const details: RuleDetail[] = [];
  if (input.reference.convention !== input.intervention.convention) {
    details.push({ path: "convention", rule: "one-convention", message: "Both groups need one convention." });
  }
  const baseline = attempt(details, () => baselineOf(input));
  const activity = attempt(details, () => measuredActivity(input.intervention));
  const usage = attempt(details, () => usageOf(input));
  const fnrb = attempt(details, () =>
    resolveFnrb({ area: input.area, fnrb: input.fnrb, approval: input.fnrbApproval }),
  );
  refuseBrokenRules(details, "No emission reduction follows from this campaign.");
  if (!(baseline && activity && usage && fnrb)) throw new RangeError("A step without a result has named its rules.");
  const factors = factorsOf(input.fuel);
  const pair: Pair = {
    ...factors.values,
    usage: usage.usage,
    fnrb: fnrb.fnrb,
    units: input.units,
    fuel: baseline.fuel,
  };
  const { method, params } = input;
  const reduction = calculateReduction({
    method,
    params,
    baselinePairs: [pair],
    activityPairs: [{ ...pair, fuel: activity.fuel }],
    fnrbRule: { area: input.area, approval: input.fnrbApproval },
  } as CalculationInput);
  const lines = [...baseline.lines, ...activity.lines, ...usage.lines, ...factors.lines, ...reduction.lines];
  return { ...reduction, lines, convention: input.reference.convention };
}

/** Run a step; if it breaks rules, add them to `details`. */
function attempt<T>(details: RuleDetail[], step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "RULE_VIOLATION") throw error;
    details.push(...error.details);
    return undefined;
  }
}

function baselineOf({ baseline, reference, fuel, householdSize, householdSizeSource }: KptReductionInput) {
  return baseline === "measured"
    ? measuredBaseline(reference, fuel, householdSize, householdSizeSource)
    : minimumServiceBaseline(fuel, householdSize, householdSizeSource);
}

function usageOf({ usage, reference }: KptReductionInput): { usage: Decimal; lines: Line[] } {
  if ("surveyed" in usage) return surveyedUsage(usage, reference.convention);
  return { usage, lines: [line("Usage, U", usage, "1", "given")] };
}

function factorsOf(fuel: Fuel): { values: Pick<Pair, "ncv" | "efCo2" | "efNonCo2">; lines: Line[] } {
  const [ncv, efCo2, efNonCo2] = [netCalorificValues[fuel], co2Factors[fuel], nonCo2Factors[fuel]];
  const asLine = (name: string, { value, unit, source }: Sourced) => line(name, value, unit, source);
  return {
    values: { ncv: ncv.value, efCo2: efCo2.value, efNonCo2: efNonCo2.value },
    lines: [asLine("NCV", ncv), asLine("EF_CO2", efCo2), asLine("EF_nonCO2", efNonCo2)],
  };
}
