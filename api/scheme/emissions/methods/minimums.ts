import { type Decimal, decimal } from "../decimal.ts";
import type { Method, Minimums } from "./definition.ts";
import { methods } from "./registry.ts";

/** What the test of a method must reach: measured households of each group, days, surveyed devices, and the half-width. */
export const minimumNames = ["sample", "days", "usage-survey", "usage-cohort", "precision"] as const;
export type MinimumName = (typeof minimumNames)[number];

/** A minimum that a regulator recorded for a method. */
export type RecordedMinimum = { readonly name: MinimumName; readonly value: Decimal; readonly source: string };

/** From the method's own value to the strictest that can be recorded. */
export type MinimumLimits = { unit: string; min: Decimal; max: Decimal; isWhole: boolean };

const strictestPrecision = decimal("0.01");
const most = { sample: 1_000_000, days: 366, "usage-survey": 1_000_000, "usage-cohort": 1_000_000 } as const;
const units = { sample: "household", days: "day", "usage-survey": "device", "usage-cohort": "device" } as const;

/** Find between which values a minimum of a method is recorded; undefined where there is no such method or minimum. */
export function minimumLimits(method: string, name: string): MinimumLimits | undefined {
  const own = methods.get(method)?.minimums;
  const known = minimumNames.find((each) => each === name);
  if (own === undefined || known === undefined) return undefined;
  const value = ownMinimum(own, known);
  if (known === "precision") return { unit: "1", min: strictestPrecision, max: value, isWhole: false };
  return { unit: units[known], min: value, max: decimal(most[known]), isWhole: true };
}

function ownMinimum({ sample, days, usageSurvey, precision }: Minimums, name: MinimumName): Decimal {
  if (name === "precision") return precision.limit;
  const values = {
    sample: sample.value,
    days: days.value,
    "usage-survey": usageSurvey.total,
    "usage-cohort": usageSurvey.perCohort,
  };
  return decimal(values[name]);
}

/** The method with each recorded minimum that is stricter than its own. */
export function withRecordedMinimums(method: Method, recorded: readonly RecordedMinimum[]): Method {
  const minimums = recorded.reduce((found, each) => (isStricter(each, found) ? replaced(found, each) : found), {
    ...method.minimums,
  });
  return { ...method, minimums };
}

function isStricter({ name, value }: RecordedMinimum, minimums: Minimums): boolean {
  const own = ownMinimum(minimums, name);
  return name === "precision" ? value.lt(own) : value.gt(own);
}

function replaced(minimums: Minimums, { name, value, source }: RecordedMinimum): Minimums {
  switch (name) {
    case "precision":
      return { ...minimums, precision: { of: minimums.precision.of, limit: value, source } };
    case "usage-survey":
      return { ...minimums, usageSurvey: { ...minimums.usageSurvey, total: value.toNumber(), source } };
    case "usage-cohort":
      return { ...minimums, usageSurvey: { ...minimums.usageSurvey, perCohort: value.toNumber(), source } };
    default:
      return { ...minimums, [name]: { value: value.toNumber(), source } };
  }
}
