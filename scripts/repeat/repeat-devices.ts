import { z } from "zod";
import { isOfPlan, leftOutOfPlan, smallGroups } from "../../api/scheme/campaigns/result/flags/small-frames.ts";
import {
  type CountedDevices,
  countForResult,
  isInFrame,
  lastDayOfYear,
} from "../../api/scheme/campaigns/result/inputs/counted-devices.ts";
import type { EmissionsTerms } from "../../api/scheme/campaigns/result/inputs/emissions-terms.ts";
import { laterProblems } from "../../api/scheme/campaigns/result/later-rules.ts";
import type { ResultRecord } from "../../api/scheme/campaigns/result/record.ts";
import { registryProblems } from "../../api/scheme/campaigns/result/registry-rules.ts";
import type { SamplingTerms } from "../../api/scheme/campaigns/sampling/terms.ts";
import type { UsageFrame } from "../../api/scheme/campaigns/usage/frame-terms.ts";
import type { LeftOut } from "../../api/scheme/emissions/index.ts";
import { UnavailableError } from "../verifier-command.ts";
import type { RoomData } from "./room-data.ts";
import { type Step, step } from "./step.ts";

type ListedDevices = NonNullable<RoomData["devices"]>;

/**
 * Check that the list numbers the household of each device, and that the usage survey has one device of each household of the frame.
 * @param byHousehold whether the result was closed by a version that counts devices by household
 */
export function repeatDevices({ devices, draw, usage }: RoomData, byHousehold: boolean): Step[] {
  if (devices === undefined) return [];
  const frameSize = draw.groups.intervention.leaves.length;
  const unnamed = devices.filter(({ household }) => household === undefined).length;
  if (unnamed === devices.length && !byHousehold) {
    const note =
      "The list numbers no households, as in results of earlier versions: it does not show that each device is in the intervention frame, and one at a time in a household.";
    return [{ ...step(`Devices: ${devices.length} of the plan`, []), notes: [note] }];
  }
  const faults = unnamed === 0 ? [] : [`The list has no number of the household of ${unnamed} devices.`];
  const surveyed = surveyedFaults({ devices, usage: usage?.devices ?? [], frameSize });
  const title = `Devices: ${devices.length} of the plan; one at a time of each household of the intervention frame counts`;
  return [step(title, [...faults, ...surveyed])];
}

type Surveyed = { devices: ListedDevices; usage: readonly { serial: string }[]; frameSize: number };

function surveyedFaults({ devices, usage, frameSize }: Surveyed): string[] {
  const bySerial = new Map(devices.map((device) => [device.serial, device]));
  const first = new Map<number, string>();
  return usage.flatMap(({ serial }) => {
    const device = bySerial.get(serial);
    if (device === undefined) return [`The usage survey has the device ${serial}, which is not in the list.`];
    const { household } = device;
    if (household === undefined) return [];
    if (!isInFrame(device, frameSize)) {
      return [`The usage survey has the device ${serial}, which is outside the intervention frame.`];
    }
    const other = first.get(household);
    if (other !== undefined) return [`The usage survey has two devices of one household: ${other} and ${serial}.`];
    first.set(household, serial);
    return [];
  });
}

// A number with its exact digits is read as a number.
const households = z.coerce.number().int().min(0).optional();
const counts = z.object({ reference: households, intervention: households });
const statedCounts = z.object({ record: z.object({ leftOut: counts.optional() }) });
type CountedFrames = { sampling: SamplingTerms | undefined } & Pick<
  ResultRecord,
  "frameSizes" | "parameters" | "terms"
>;

/** Count the households of the plan that small frames leave out; not where an earlier version closed the result, which did not count them. */
export function recountLeftOut(stated: object, data: RoomData, frames: CountedFrames): Pick<ResultRecord, "leftOut"> {
  const parsed = statedCounts.safeParse(stated);
  if (!parsed.success) throw new UnavailableError("result.json is not the result of a campaign.");
  const { leftOut } = parsed.data.record;
  return leftOut === undefined || data.devices === undefined ? {} : { leftOut: leftOutIn(data, frames) };
}

function leftOutIn({ campaign, devices = [] }: RoomData, { sampling, ...frames }: CountedFrames): LeftOut {
  const { startDate: from, endDate: to } = sampling?.paired?.after ?? campaign.testPeriod;
  const left = leftOutOfPlan(devices, { from, to }, frames.frameSizes.intervention);
  const counted = smallGroups(frames).filter((group) => isOfPlan(group, sampling));
  return Object.fromEntries(counted.map((group) => [group, left]));
}

/** Tell what prevents a certificate today of a result that was closed before it was counted what small frames leave out. */
export function repeatLeftOut(record: ResultRecord, data: RoomData, sampling: SamplingTerms | undefined): Step[] {
  if (data.devices === undefined || record.leftOut !== undefined) return [];
  const notes = laterProblems(record, leftOutIn(data, { ...record, sampling })).map(
    ({ rule, message }) => `No certificate by the later rule ${rule}: ${message}`,
  );
  const title = "Small frames: by the rules of an earlier version, which did not count what they leave out";
  return notes.length === 0 ? [] : [{ ...step(title, []), notes }];
}

const statedRequirement = z.object({ record: z.object({ requiresRegistry: z.boolean().optional() }) });

/** Read whether a result was closed when a certificate needed units and usage of registered devices. */
export function requirementOf(stated: object): { requiresRegistry?: boolean } {
  const parsed = statedRequirement.safeParse(stated);
  if (!parsed.success) throw new UnavailableError("result.json is not the result of a campaign.");
  const { requiresRegistry } = parsed.data.record;
  return requiresRegistry === undefined ? {} : { requiresRegistry };
}

/** Tell what prevents a certificate today of a result that was closed before units and usage had to be of registered devices. */
export function repeatRequirement(record: ResultRecord): Step[] {
  if (record.requiresRegistry === true) return [];
  const notes = registryProblems(record).map(
    ({ rule, message }) => `No certificate by the later rule ${rule}: ${message}`,
  );
  const title = "Certificate: by the rules of an earlier version, which took units and usage from the terms";
  return notes.length === 0 ? [] : [{ ...step(title, []), notes }];
}

const statedDay = z.object({ record: z.object({ devicesTo: z.iso.date().optional() }) });

/** Read the last day on which a result counted devices; undefined where an earlier version counted the whole year. */
export function devicesToOf(stated: object): string | undefined {
  const parsed = statedDay.safeParse(stated);
  if (!parsed.success) throw new UnavailableError("result.json is not the result of a campaign.");
  return parsed.data.record.devicesTo;
}

const millisecondsPerDay = 86_400_000;

/**
 * Check that devices were counted to the end of the year, or to the day of the close if that was earlier. The block of the close may be
 * of the next day.
 */
export function repeatDeviceDays(
  { campaign, devices }: RoomData,
  { terms, devicesTo }: { terms: EmissionsTerms; devicesTo: string | undefined },
): Step[] {
  if (devices === undefined) return [];
  const { endDate } = campaign.testPeriod;
  const last = lastDayOfYear(terms, endDate);
  const firstDay = `${last.slice(0, 4)}-01-01`;
  const closedAt = Date.parse(campaign.closed.at);
  const dayOf = (time: number) => {
    const day = new Date(time).toISOString().slice(0, 10);
    if (day < firstDay) return firstDay;
    if (day > last) return last;
    return day;
  };
  const days = [dayOf(closedAt), dayOf(closedAt - millisecondsPerDay)];
  const counted = devicesTo ?? last;
  const faults = days.includes(counted)
    ? []
    : [`The result counts devices to ${counted}; the campaign was closed on ${campaign.closed.at.slice(0, 10)}.`];
  return [step(`Device-days: counted to ${counted}, not after the close`, faults)];
}

type CountedBy = { terms: EmissionsTerms; usageFrame: UsageFrame | undefined; devicesTo: string | undefined };

/** Count the listed devices again; nothing where the result counts none. */
export function recountDevices(
  { campaign, devices, draw, usage }: RoomData,
  { terms, usageFrame, devicesTo }: CountedBy,
): Partial<CountedDevices> {
  if (devices === undefined) return {};
  const serials = new Set(usage?.devices.map(({ serial }) => serial));
  const frame = usageFrame === undefined ? undefined : { usageFrame, serials };
  const frameSize = draw.groups.intervention.leaves.length;
  const { endDate } = campaign.testPeriod;
  return countForResult(devices, terms, { endDate, frame, frameSize, until: devicesTo });
}
