import { type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { anniversary, dayNumber } from "./dates.ts";
import type { DeviceCohort } from "./usage-survey.ts";

/** A registered device. It counts from the day of its installation to the day before its retirement. */
export type Device = { serial: string; installedOn: string; retiredOn?: string | undefined };

/** A period from its first day to its last; both count. */
export type Period = { from: string; to: string };

export type DeviceCount = {
  /** Device-days of the period. */
  days: number;
  /** By year of life, from 1; a device with an anniversary in the period counts in two. */
  cohorts: DeviceCohort[];
  /** Devices installed in the period. */
  newDevices: number;
};

/**
 * Count the device-days of a period by age.
 * @throws AppError RULE_VIOLATION naming every device that cannot be counted
 */
export function countDevices(devices: readonly Device[], period: Period): DeviceCount {
  refuseBrokenRules(deviceCountProblems(devices, period), "These devices cannot be counted.");
  const [from, to] = [dayNumber(period.from) as number, dayNumber(period.to) as number];
  const found = new Map<number, { devices: number; days: number }>();
  let days = 0;
  let newDevices = 0;
  for (const { installedOn, retiredOn } of devices) {
    const installed = dayNumber(installedOn) as number;
    if (installed >= from && installed <= to) newDevices++;
    const end = Math.min(to + 1, retiredOn === undefined ? Number.POSITIVE_INFINITY : (dayNumber(retiredOn) as number));
    for (let age = 1, start = installed; start < end; age++) {
      const next = anniversary(installedOn, age);
      const inPeriod = Math.min(end, next) - Math.max(start, from);
      if (inPeriod > 0) {
        const cohort = found.get(age) ?? { devices: 0, days: 0 };
        found.set(age, { devices: cohort.devices + 1, days: cohort.days + inPeriod });
        days += inPeriod;
      }
      start = next;
    }
  }
  const cohorts = [...found].sort(([a], [b]) => a - b).map(([age, { devices, days }]) => ({ age, devices, days }));
  return { days, cohorts, newDevices };
}

/** List each rule that the devices and the crediting period break. */
export function deviceCountProblems(devices: readonly Device[], period: Period): RuleDetail[] {
  return [...periodProblems(period, "creditingPeriod"), ...deviceProblems(devices)];
}

function periodProblems({ from, to }: Period, path: string): RuleDetail[] {
  const [first, last] = [dayNumber(from), dayNumber(to)];
  const found: RuleDetail[] = [];
  if (first === null) found.push({ path: `${path}.from`, rule: "date", message: `${from} is not a date.` });
  if (last === null) found.push({ path: `${path}.to`, rule: "date", message: `${to} is not a date.` });
  if (first !== null && last !== null && last < first) {
    found.push({ path: `${path}.to`, rule: "dates-in-order", message: "A period does not end before it starts." });
  }
  return found;
}

function deviceProblems(devices: readonly Device[]): RuleDetail[] {
  const found: RuleDetail[] = [];
  const serials = new Set<string>();
  for (const [index, { serial, installedOn, retiredOn }] of devices.entries()) {
    const path = `devices.${index}`;
    if (serials.has(serial)) {
      found.push({ path: `${path}.serial`, rule: "serial-once", message: `The serial ${serial} is listed twice.` });
    }
    serials.add(serial);
    const installed = dayNumber(installedOn);
    if (installed === null) {
      found.push({ path: `${path}.installedOn`, rule: "date", message: `${installedOn} is not a date.` });
    }
    if (retiredOn === undefined) continue;
    const retired = dayNumber(retiredOn);
    if (retired === null) {
      found.push({ path: `${path}.retiredOn`, rule: "date", message: `${retiredOn} is not a date.` });
    } else if (installed !== null && retired < installed) {
      const message = "A device is not retired before it is installed.";
      found.push({ path: `${path}.retiredOn`, rule: "dates-in-order", message });
    }
  }
  return found;
}
