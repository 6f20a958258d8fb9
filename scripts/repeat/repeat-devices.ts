import { z } from "zod";
import { type CountedDevices, countForResult, isInFrame } from "../../api/scheme/campaigns/result/counted-devices.ts";
import type { EmissionsTerms } from "../../api/scheme/campaigns/result/emissions-terms.ts";
import type { ResultRecord } from "../../api/scheme/campaigns/result/record.ts";
import { registryProblems } from "../../api/scheme/campaigns/result/registry-rules.ts";
import type { UsageFrame } from "../../api/scheme/campaigns/usage/frame-terms.ts";
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

type CountedBy = { terms: EmissionsTerms; usageFrame: UsageFrame | undefined };

/** Count the listed devices again; nothing where the result counts none. */
export function recountDevices(
  { campaign, devices, draw, usage }: RoomData,
  { terms, usageFrame }: CountedBy,
): Partial<CountedDevices> {
  if (devices === undefined) return {};
  const serials = new Set(usage?.devices.map(({ serial }) => serial));
  const frame = usageFrame === undefined ? undefined : { usageFrame, serials };
  const frameSize = draw.groups.intervention.leaves.length;
  return countForResult(devices, terms, { endDate: campaign.testPeriod.endDate, frame, frameSize });
}
