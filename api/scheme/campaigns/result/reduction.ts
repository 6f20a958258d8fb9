import { AppError, type RuleDetail } from "../../../platform/errors.ts";
import {
  decimal,
  emissionMethods,
  type GroupStatistics,
  type KptReduction,
  type KptReductionInput,
  type MethodId,
  quantity,
  reductionFromKpt,
} from "../../emissions/index.ts";
import type { EmissionsTerms } from "./emissions-terms.ts";
import { type Assumption, type KnownFacts, type Parameters, parametersOf } from "./parameters.ts";

/** What a method makes of a campaign: the reduction, or each rule that stands against one. */
export type MethodOutcome = { method: MethodId; assumptions: Assumption[] } & (
  | { reduction: KptReduction; broken: [] }
  | { reduction: null; broken: RuleDetail[] }
);

export type MeasuredGroups = { reference: GroupStatistics; intervention: GroupStatistics };

/** The emission reduction by every method. */
export function reductionsOf(groups: MeasuredGroups, terms: EmissionsTerms, facts: KnownFacts): MethodOutcome[] {
  return (Object.keys(emissionMethods) as MethodId[]).map((method) => reductionBy(method, { groups, terms, facts }));
}

function reductionBy(
  method: MethodId,
  { groups, terms, facts }: { groups: MeasuredGroups; terms: EmissionsTerms; facts: KnownFacts },
): MethodOutcome {
  const parameters = parametersOf(method, terms, facts);
  const { assumptions, lines } = parameters;
  try {
    const reduction = reductionFromKpt(inputOf(method, { groups, terms, parameters }));
    return { method, assumptions, reduction: { ...reduction, lines: [...lines, ...reduction.lines] }, broken: [] };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "RULE_VIOLATION") throw error;
    return { method, assumptions, reduction: null, broken: error.details };
  }
}

function inputOf(
  method: MethodId,
  { groups, terms, parameters }: { groups: MeasuredGroups; terms: EmissionsTerms; parameters: Parameters },
): KptReductionInput {
  const { fuel, area, units, householdSize, householdSizeSource, usage, baseline } = parameters;
  const fnrb = terms.fnrb === undefined ? undefined : decimal(terms.fnrb);
  const common = { ...groups, fuel, area, units, householdSize, householdSizeSource, usage, baseline, fnrb };
  const programme = { ...common, fnrbApproval: terms.fnrbApproval };
  const { vintage, creditingYear } = terms;
  if (method === "tpddtec") {
    return { ...programme, method, params: { leakage: quantity(parameters.leakage, "tCO2e"), vintage } };
  }
  const { newUnits, life, daf, he } = parameters;
  return { ...programme, method, params: { newUnits, life, daf, he, vintage, creditingYear } };
}
