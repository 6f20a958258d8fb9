import type { FuelId } from "../fuels.ts";
import type { Household } from "./households.ts";
import type { TestGroup } from "./input.ts";

export const flagRules = [
  "identical-values",
  "no-variance",
  "household-size-stated",
  "days-chosen",
  "days-differ",
  "measured-again",
  "figures-stated",
  "devices-not-drawable",
  "replacements-many",
  "same-evidence",
  "frame-covers-part-of-plan",
  "measured-after-revocation",
  "frame-is-sample",
  "household-sizes-differ",
  "measured-before-draw",
  "surveyed-before-draw",
  "same-survey-evidence",
  "shared-evidence",
  "evidence-of-other-campaign",
  "people-differ",
  "cv-below-measured",
  "area-stated",
  "gwp-stated",
  "household-sizes-unknown",
] as const;
export type FlagRule = (typeof flagRules)[number];

/** The rules of results that were closed before a result named the rules that flag it. */
export const firstFlagRules: readonly FlagRule[] = ["identical-values", "no-variance", "household-size-stated"];

/** A finding for an evaluator to review. It changes no figure. */
export type Flag = {
  group: TestGroup;
  rule: FlagRule;
  message: string;
  positions: number[];
};

/** Flag households of a group with the same use of every fuel, and a fuel of which all use the same. */
export function flagsOf(group: TestGroup, households: readonly Household[], fuels: readonly FuelId[]): Flag[] {
  const found: Flag[] = [];
  const same = new Map<string, number[]>();
  for (const household of households) {
    const key = fuels.map((fuel) => measuredText(household, fuel)).join(" ");
    const positions = same.get(key);
    if (positions === undefined) same.set(key, [household.position]);
    else positions.push(household.position);
  }
  for (const positions of same.values()) {
    if (positions.length < 2) continue;
    const message = `${positions.length} households used exactly the same of every fuel.`;
    found.push({ group, rule: "identical-values", message, positions });
  }
  for (const fuel of fuels) {
    const values = new Set(households.map((household) => measuredText(household, fuel)));
    if (households.length < 2 || values.size > 1 || values.has("0/1")) continue;
    const message = `All households used the same ${fuel}; the variance is 0.`;
    found.push({ group, rule: "no-variance", message, positions: households.map(({ position }) => position) });
  }
  return found;
}

/** The same text for the same value: the fraction in lowest terms. */
function measuredText({ daily }: Household, fuel: FuelId): string {
  const { numerator, denominator } = daily(fuel);
  let [a, b] = [numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return `${numerator / a}/${denominator / a}`;
}
