import quantile from "@stdlib/math-base-special-kernel-betaincinv";
import { type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { type Decimal, decimal, zero } from "./decimal.ts";
import type { Minimums } from "./methods/definition.ts";
import { type Convention, upperTails } from "./t-quantile.ts";

/** A usage survey: `inUse` of the `surveyed` devices were in use. */
export type UsageSurvey = { surveyed: number; inUse: number };

/** A survey of the devices of one age, in years of life from 1. */
export type UsageCohort = UsageSurvey & { age: number };

/**
 * Calculate the exact lower bound of a share (Clopper and Pearson 1934): the share at which `inUse` or more of `surveyed` devices are
 * found in use with the convention's probability of error. It is the quantile of a beta distribution with inUse and
 * surveyed − inUse + 1.
 * @throws AppError RULE_VIOLATION naming every impossible count
 */
export function exactLowerBound({ surveyed, inUse }: UsageSurvey, convention: Convention): Decimal {
  refuseBrokenRules(surveyProblems({ surveyed, inUse }, "survey"), "No usage follows from these counts.");
  if (inUse === 0) return zero;
  const tail = upperTails[convention];
  const [bound] = quantile(inUse, surveyed - inUse + 1, tail, 1 - tail);
  return decimal(String(bound));
}

/** List each rule that the counts of a survey break. */
export function surveyProblems({ surveyed, inUse }: UsageSurvey, path: string): RuleDetail[] {
  const found: RuleDetail[] = [];
  if (!Number.isSafeInteger(surveyed) || surveyed < 1) {
    const message = "A survey has at least one device.";
    found.push({ path: `${path}.surveyed`, rule: "range", message });
  }
  if (!Number.isSafeInteger(inUse) || inUse < 0 || inUse > surveyed) {
    const message = "From none to all of the surveyed devices are in use.";
    found.push({ path: `${path}.inUse`, rule: "range", message });
  }
  return found;
}

/** Devices of one age and the days that they count for. */
export type DeviceCohort = {
  age: number;
  devices: number;
  days: number;
  /** Devices in place on the day of the survey, which it could draw. Absent if the survey has no day: all devices. */
  drawable?: number;
};

/**
 * Calculate U of all devices: the lower bound of each age, weighted by its device-days. An age without a survey counts as unused.
 * @returns null where there are no device-days
 */
export function surveyedUsageOf(
  cohorts: readonly DeviceCohort[],
  surveys: readonly UsageCohort[],
  convention: Convention,
): { usage: Decimal; bounds: { age: number; bound: Decimal }[] } | null {
  const bounds = cohorts.map(({ age }) => {
    const survey = surveys.find((each) => each.age === age);
    return { age, bound: survey === undefined ? zero : exactLowerBound(survey, convention) };
  });
  let used = zero;
  let days = 0;
  for (const [index, cohort] of cohorts.entries()) {
    used = used.plus((bounds[index] as { bound: Decimal }).bound.times(cohort.days));
    days += cohort.days;
  }
  return days === 0 ? null : { usage: used.div(days), bounds };
}

/** Number of devices that a survey of one age needs: the method's minimum, or all if there are fewer. */
export function neededOfCohort(cohort: DeviceCohort, { perCohort }: Minimums["usageSurvey"]): number {
  return Math.min(drawableOf(cohort), perCohort);
}

/** Devices of a cohort that a survey could draw. */
export function drawableOf({ devices, drawable }: DeviceCohort): number {
  return drawable ?? devices;
}

/**
 * Calculate how many devices of each age to draw: the method's minimum of each age, and its total in proportion to the devices.
 * No age gives more devices than it has.
 */
export function usageSampleSizes(
  cohorts: readonly DeviceCohort[],
  minimum: Minimums["usageSurvey"],
): { age: number; size: number }[] {
  const all = cohorts.reduce((sum, { devices }) => sum + devices, 0);
  const wanted = Math.min(all, minimum.total);
  return cohorts.map((cohort) => {
    const proportional = all === 0 ? 0 : Math.ceil((wanted * cohort.devices) / all);
    return { age: cohort.age, size: Math.min(cohort.devices, Math.max(neededOfCohort(cohort, minimum), proportional)) };
  });
}

/** A device that a survey may draw. */
export type DrawableDevice = { serial: string; age: number };

/**
 * Draw the devices to survey: of each age those with the smallest ranks.
 * @param rankOf a hash of the draw's seed and the serial, so that nobody can choose ranks
 */
export function drawUsageSample(
  devices: readonly DrawableDevice[],
  sizes: readonly { age: number; size: number }[],
  rankOf: (serial: string) => bigint,
): DrawableDevice[] {
  return sizes.flatMap(({ age, size }) => {
    const ranked = devices
      .filter((device) => device.age === age)
      .map((device) => ({ device, rank: rankOf(device.serial) }));
    ranked.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : a.device.serial < b.device.serial ? -1 : 1));
    return ranked.slice(0, size).map(({ device }) => device);
  });
}
