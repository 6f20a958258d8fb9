import { type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { anniversary, dayNumber, millisecondsPerDay } from "./dates.ts";
import type { DeviceCohort } from "./usage-survey.ts";

/** A registered device. It counts from the day of its installation to the day before its retirement. */
export type Device = {
  serial: string;
  installedOn: string;
  retiredOn?: string | undefined;
  /** Whether the retirement was recorded after the draw, when it could be chosen by what was measured. */
  retiredAfterDraw?: boolean | undefined;
};

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
 * @param surveyedOn the day of a usage survey. Each device then belongs to one cohort, its year of life on that day; one that was
 * installed later belongs to the first. Absent: a device changes its cohort on each anniversary.
 * @throws AppError RULE_VIOLATION naming every device that cannot be counted
 */
export function countDevices(devices: readonly Device[], period: Period, surveyedOn?: string): DeviceCount {
  refuseBrokenRules(deviceCountProblems(devices, period, surveyedOn), "These devices cannot be counted.");
  const [from, to] = [dayNumber(period.from) as number, dayNumber(period.to) as number];
  const found = new Map<number, DeviceCohort>();
  let newDevices = 0;
  for (const device of devices) {
    const installed = dayNumber(device.installedOn) as number;
    if (installed >= from && installed <= to) newDevices++;
    const spans = spansOf(device, { from, to });
    if (surveyedOn === undefined) {
      for (const { age, days } of spans) add(found, { age, devices: 1, days });
      continue;
    }
    const age = ageOn(device.installedOn, surveyedOn);
    const days = spans.reduce((sum, span) => sum + span.days, 0);
    const drawable = isInPlace(device, surveyedOn) ? 1 : 0;
    if (days > 0) add(found, { age, devices: 1, days, drawable });
  }
  const cohorts = [...found.values()].sort((a, b) => a.age - b.age);
  return { days: cohorts.reduce((sum, { days }) => sum + days, 0), cohorts, newDevices };
}

/**
 * Keep one device at a time for each household: in the order of their installation, each device whose time does not overlap that of a
 * kept one of its household. Of devices of one day, the one that is retired last comes first, then the smaller serial. A device without
 * a household is kept. One whose retirement was recorded after the draw keeps its place: otherwise a device of another age could take it
 * once the usage survey is known.
 */
export function oneAtATime<D extends Device & { household?: number | undefined }>(devices: readonly D[]): D[] {
  // The day from which a household's next device may count.
  const free = new Map<number, string>();
  return [...devices].sort(byInstallation).filter((device) => {
    const { household, installedOn } = device;
    const freeFrom = endOfPlace(device);
    if (household === undefined || freeFrom === installedOn) return true;
    if (installedOn < (free.get(household) ?? "")) return false;
    free.set(household, freeFrom);
    return true;
  });
}

/** After every day. */
const endless = "9999-12-32";

/** The day from which another device may have a device's place. */
function endOfPlace({ retiredOn = endless, retiredAfterDraw }: Device): string {
  return retiredAfterDraw ? endless : retiredOn;
}

function byInstallation(a: Device, b: Device): number {
  const [endOfA, endOfB] = [endOfPlace(a), endOfPlace(b)];
  if (a.installedOn !== b.installedOn) return a.installedOn < b.installedOn ? -1 : 1;
  if (endOfA !== endOfB) return endOfA > endOfB ? -1 : 1;
  return a.serial < b.serial ? -1 : 1;
}

/** The days of a period in each year of a device's life that has some. */
function spansOf({ installedOn, retiredOn }: Device, { from, to }: { from: number; to: number }) {
  const end = Math.min(to + 1, retiredOn === undefined ? Number.POSITIVE_INFINITY : (dayNumber(retiredOn) as number));
  const spans: { age: number; days: number }[] = [];
  // Skip the years of life before the period without counting them: there may be thousands.
  const first = ageOnDay(installedOn, from);
  const born = first === 1 ? (dayNumber(installedOn) as number) : anniversary(installedOn, first - 1);
  for (let age = first, start = born; start < end; age++) {
    const next = anniversary(installedOn, age);
    const days = Math.min(end, next) - Math.max(start, from);
    if (days > 0) spans.push({ age, days });
    start = next;
  }
  return spans;
}

function add(found: Map<number, DeviceCohort>, { age, devices, days, drawable }: DeviceCohort): void {
  const known = found.get(age);
  if (known === undefined) {
    found.set(age, drawable === undefined ? { age, devices, days } : { age, devices, days, drawable });
    return;
  }
  known.devices += devices;
  known.days += days;
  if (drawable !== undefined) known.drawable = (known.drawable ?? 0) + drawable;
}

/** A device's year of life on a day, from 1; 1 for a device that was installed later. */
export function ageOn(installedOn: string, day: string): number {
  return ageOnDay(installedOn, dayNumber(day) as number);
}

function ageOnDay(installedOn: string, day: number): number {
  const years = new Date(day * millisecondsPerDay).getUTCFullYear() - Number(installedOn.slice(0, 4));
  return Math.max(1, anniversary(installedOn, years) <= day ? years + 1 : years);
}

/** Whether a device was in place on a day. */
export function isInPlace({ installedOn, retiredOn }: Device, day: string): boolean {
  return installedOn <= day && (retiredOn === undefined || retiredOn > day);
}

/** List each rule that the devices and the crediting period break. */
export function deviceCountProblems(
  devices: readonly Device[],
  period: Period,
  surveyedOn: string | undefined,
): RuleDetail[] {
  const found = [...periodProblems(period, "creditingPeriod"), ...deviceProblems(devices)];
  if (surveyedOn === undefined || dayNumber(surveyedOn) !== null) return found;
  return [...found, { path: "surveyedOn", rule: "date", message: `${surveyedOn} is not a date.` }];
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
