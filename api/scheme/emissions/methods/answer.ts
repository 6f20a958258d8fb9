import type { JsonNumber } from "../../../platform/values/numbers.ts";
import { jsonExact } from "../decimal.ts";
import type { MethodResult } from "./definition.ts";

/** Serialize a method's result as JSON, with all digits of each number. */
export function methodAnswer({ method, version, baseline, project, leakage, reductions, values, steps }: MethodResult) {
  return {
    method,
    version,
    baseline: jsonExact(baseline),
    project: jsonExact(project),
    leakage: jsonExact(leakage),
    reductions: jsonExact(reductions),
    values: values.map((each) => ({ ...each, value: jsonExact(each.value) })),
    steps: steps.map((each) => ({
      ...each,
      values: each.values.map(({ symbol, value }): { symbol: string; value: JsonNumber } => ({
        symbol,
        value: jsonExact(value),
      })),
      result: jsonExact(each.result),
    })),
  };
}
