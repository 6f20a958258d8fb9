import { type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import type { Decimal } from "./decimal.ts";
import { type RenewabilityArea, renewabilityAreas, renewabilityDefaults } from "./defaults.ts";
import { type Line, line } from "./lines.ts";

export type FnrbInput = {
  area: RenewabilityArea;
  /** Absent: the registry default applies. */
  fnrb?: Decimal | undefined;
  /** Reference of the regulator's approval of a value above the default. */
  approval?: string | undefined;
};

/** List each rule that a fraction of non-renewable biomass breaks; `path` names its field. */
export function fnrbProblems({ area, fnrb, approval }: FnrbInput, path: string): RuleDetail[] {
  if (!renewabilityAreas.includes(area)) {
    const message = `No default is registered for ${area}; these have one: ${renewabilityAreas.join(", ")}.`;
    return [{ path, rule: "fnrb-default-known", message }];
  }
  if (fnrb === undefined) return [];
  if (!fnrb.gte(0) || !fnrb.lte(1)) return [{ path, rule: "range", message: "fNRB lies from 0 to 1." }];
  const registered = renewabilityDefaults[area];
  if (fnrb.lte(registered.value) || (approval !== undefined && approval.trim() !== "")) return [];
  const message = `fNRB ${fnrb} is above the registry default ${registered.value} of ${area}, which needs a regulator's approval.`;
  return [{ path, rule: "fnrb-within-default", message }];
}

/**
 * Choose the fNRB to calculate with, and the line that states its origin.
 * @throws AppError RULE_VIOLATION above the registry default without a regulator's approval
 */
export function resolveFnrb(input: FnrbInput): { fnrb: Decimal; line: Line } {
  refuseBrokenRules(fnrbProblems(input, "fnrb"));
  const registered = renewabilityDefaults[input.area];
  const fnrb = input.fnrb ?? registered.value;
  return { fnrb, line: line("fNRB", fnrb, "1", fnrbSource(input)) };
}

/** State whether a permitted value is the default, below it, or above it, and then whose approval permits it. */
export function fnrbSource({ area, fnrb, approval }: FnrbInput): string {
  const registered = renewabilityDefaults[area];
  if (fnrb === undefined || fnrb.eq(registered.value)) return registered.source;
  if (fnrb.lt(registered.value)) return `given, below the registry default ${registered.value} (${registered.source})`;
  return `given, above the registry default ${registered.value}, approved by the regulator: ${approval}`;
}
