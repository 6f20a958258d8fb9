import { type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { type FnrbInput, fnrbProblems, fnrbSource } from "./fnrb.ts";
import { type Line, line } from "./lines.ts";
import type { EmissionsMethod, Pairs, Reduction } from "./methods/method.ts";
import { smec4 } from "./methods/smec-4.ts";
import { tpddtec } from "./methods/tpddtec.ts";

/** Every method, by id. */
export const emissionMethods = { "smec-4": smec4, tpddtec } as const;

export type MethodId = keyof typeof emissionMethods;
type ParamsOf<M extends MethodId> = (typeof emissionMethods)[M] extends EmissionsMethod<M, infer P> ? P : never;

/** Area of the technologies. Each fNRB is compared with the registry default of the area. */
export type FnrbRule = { area?: FnrbInput["area"] | undefined; approval?: string | undefined };

export type CalculationInput = {
  [M in MethodId]: Pairs & { method: M; params: ParamsOf<M>; fnrbRule?: FnrbRule | undefined };
}[MethodId];

/** A reduction, and the inputs to calculate it again. */
export type CalculatedReduction = Reduction & { method: MethodId; version: string; inputs: CalculationInput };

/**
 * Calculate a year's emission reduction, exact, in tCO2e.
 * @throws AppError RULE_VIOLATION naming every broken rule
 */
export function calculateReduction(inputs: CalculationInput): CalculatedReduction {
  const method = emissionMethods[inputs.method] as EmissionsMethod<MethodId, CalculationInput["params"]>;
  refuseBrokenRules(
    [...method.problems(inputs), ...pairFnrbProblems(inputs)],
    "No emission reduction follows from these figures.",
  );
  const reduction = method.calculate(inputs);
  const lines = [...fnrbLines(inputs), ...reduction.lines];
  return { ...reduction, lines, method: method.id, version: method.version, inputs };
}

function fnrbsOf({ baselinePairs, activityPairs }: Pairs) {
  return [
    ...baselinePairs.map(({ fnrb }, index) => ({
      fnrb,
      path: `baselinePairs.${index}.fnrb`,
      name: `Baseline ${index + 1}`,
    })),
    ...activityPairs.map(({ fnrb }, index) => ({
      fnrb,
      path: `activityPairs.${index}.fnrb`,
      name: `Activity ${index + 1}`,
    })),
  ];
}

function pairFnrbProblems(inputs: CalculationInput): RuleDetail[] {
  const { area, approval } = inputs.fnrbRule ?? {};
  if (area === undefined) {
    if (approval === undefined) return [];
    const message = "An approval of an fNRB needs the area whose default it exceeds: fnrbArea.";
    return [{ path: "params.fnrbApproval", rule: "fnrb-area-named", message }];
  }
  const found = fnrbsOf(inputs).flatMap(({ fnrb, path }) => fnrbProblems({ area, approval, fnrb }, path));
  // The method checks the range of each fraction.
  return found.filter(({ rule }) => rule !== "range");
}

function fnrbLines(inputs: CalculationInput): Line[] {
  const { area, approval } = inputs.fnrbRule ?? {};
  const unchecked = "given; no area is named, so it is not compared with a registry default";
  return fnrbsOf(inputs).map(({ fnrb, name }) =>
    line(`${name}: fNRB`, fnrb, "1", area === undefined ? unchecked : fnrbSource({ area, approval, fnrb })),
  );
}
