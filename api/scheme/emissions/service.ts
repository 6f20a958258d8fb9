import { type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { type Decimal, decimalText, jsonExact } from "./decimal.ts";
import { type CalculatedReduction, type CalculationInput, calculateReduction, type FnrbRule } from "./methods.ts";
import type { Calculation, CalculationRequest } from "./schemas.ts";
import { quantity } from "./units.ts";

type RequestedPair = CalculationRequest["baselinePairs"][number];

/**
 * Calculate the reduction that a request describes.
 * @throws AppError RULE_VIOLATION naming every broken rule
 */
export function calculateRequest(request: CalculationRequest): CalculatedReduction {
  return calculateReduction(toInput(request));
}

/** The regulator's list of parameters. */
export type RecordedParameters = {
  byId: (id: string) => Promise<{ kind: string; key: string; value: Decimal } | null>;
};

/**
 * Require that the approval of an fNRB is a parameter which the regulator recorded for the area, and that it covers every fNRB.
 * @throws AppError RULE_VIOLATION
 */
export async function requireRecordedApproval(
  parameters: RecordedParameters,
  { params, baselinePairs, activityPairs }: CalculationRequest,
): Promise<void> {
  const { fnrbApproval: id, fnrbArea: area } = params;
  if (id === undefined || area === undefined) return;
  const found = await parameters.byId(id);
  const path = "params.fnrbApproval";
  if (found === null || found.kind !== "fnrb" || found.key !== area) {
    const message = `${id} is not an fNRB of ${area} that the regulator recorded (GET /v1/parameters).`;
    refuseBrokenRules([{ path, rule: "fnrb-approval-recorded", message }]);
    return;
  }
  const above = [...baselinePairs, ...activityPairs].filter(({ fnrb }) => fnrb.gt(found.value));
  const broken = above.map(({ fnrb }): RuleDetail => {
    const message = `${id} approves an fNRB of ${decimalText(found.value)} at most, not ${decimalText(fnrb)}.`;
    return { path, rule: "fnrb-within-default", message };
  });
  refuseBrokenRules(broken);
}

/** Result of a calculation: the four totals and the lines that lead to them, with all digits. */
export function serializeCalculation({ be, ae, le, er, lines }: CalculatedReduction): Calculation {
  return {
    be: jsonExact(be.value),
    ae: jsonExact(ae.value),
    le: jsonExact(le.value),
    er: jsonExact(er.value),
    lines: lines.map(({ name, value, unit, source }) => ({ name, value: jsonExact(value), unit, source })),
  };
}

function toInput(request: CalculationRequest): CalculationInput {
  const pairs = {
    baselinePairs: request.baselinePairs.map(toPair),
    activityPairs: request.activityPairs.map(toPair),
    fnrbRule: toFnrbRule(request.params),
  };
  if (request.method === "smec-4") return { method: request.method, ...pairs, params: request.params };
  const { leakage, vintage } = request.params;
  return { method: request.method, ...pairs, params: { leakage: quantity(leakage, "tCO2e"), vintage } };
}

function toPair({ usage, ncv, ef_co2, fnrb, ef_nonco2, n_stoves, p_fuel }: RequestedPair) {
  return { usage, ncv, efCo2: ef_co2, fnrb, efNonCo2: ef_nonco2, units: n_stoves, fuel: quantity(p_fuel, "t") };
}

function toFnrbRule({ fnrbArea, fnrbApproval }: CalculationRequest["params"]): FnrbRule {
  return { area: fnrbArea, approval: fnrbApproval };
}
