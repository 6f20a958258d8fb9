import type { Hex } from "viem";
import type { RuleDetail } from "../../../../platform/errors.ts";
import { countDevices, type Device, type DeviceCount, oneAtATime, type Period } from "../../../emissions/index.ts";
import type { CampaignDeps } from "../../deps.ts";
import type { CampaignRow } from "../../model.ts";
import type { StoredCampaign } from "../../tables.ts";
import { vintageOf } from "../../terms/vintage-rules.ts";
import type { UsageFrame } from "../../usage/frame-terms.ts";
import { usageStore } from "../../usage/store.ts";
import type { EmissionsTerms } from "./emissions-terms.ts";

/**
 * A device of the plan. `household` is a number of its household that names nobody: below the size of the intervention frame it is the
 * household's place among the leaves of that frame, else the household is outside it. Absent from lists of earlier closes, as is
 * `retirementRecordedAt` and `retirementRecordedIn`, time and number of the latest block when the retirement was recorded.
 */
export type ListedDevice = Device & {
  household?: number | undefined;
  retirementRecordedAt?: string | undefined;
  retirementRecordedIn?: number | undefined;
};

/** Households with a device that is in place on a day of the crediting year: those of the intervention frame, and all of the plan. */
export type DeviceHouseholds = { inFrame: number; ofPlan: number };

/** `devicesTo`: the last day of the count; absent from results that were closed before they recorded it, which counted the whole year. */
export type CountedDevices = { devices: DeviceCount; devicesTo?: string; deviceHouseholds?: DeviceHouseholds };

type ListDeps = Pick<CampaignDeps, "registry"> & {
  campaigns: Pick<CampaignDeps["campaigns"], "householdsOf">;
  devices: Pick<CampaignDeps["devices"], "datesOf">;
};
type DeviceDates = Awaited<ReturnType<ListDeps["devices"]["datesOf"]>>[number];
type Listed = StoredCampaign & Pick<CampaignRow, "seed" | "drawBlock">;

/**
 * The plan's devices that were registered before the campaign's draw, in the order of their serials. One that came later could be chosen
 * by what was measured.
 */
export async function registeredDevices(deps: ListDeps, row: Listed): Promise<ListedDevice[]> {
  const { rows, draw } = await rowsBeforeDraw(deps, row);
  const numbers = new Map<number, number>();
  for (const [place, household] of ((await deps.campaigns.householdsOf(row, "intervention")) ?? []).entries()) {
    if (household !== 0) numbers.set(household, place);
  }
  let next = row.interventionSize;
  return rows.map(({ household, ...device }) => {
    const number = numbers.get(household) ?? next++;
    numbers.set(household, number);
    return { ...listed(device), ...retirementOf(device, draw), household: number };
  });
}

/** The same without households, as results of earlier versions counted them. */
export async function devicesWithoutHouseholds(deps: Omit<ListDeps, "campaigns">, row: Listed): Promise<Device[]> {
  return (await rowsBeforeDraw(deps, row)).rows.map(listed);
}

/** The draw block of a campaign; null before the draw. */
type DrawBlock = { number: number; time: Date } | null;

async function rowsBeforeDraw({ devices, registry }: Omit<ListDeps, "campaigns">, campaign: Listed) {
  const rows = await devices.datesOf(campaign.plan);
  const { seed, drawBlock } = campaign;
  const isDrawn = seed !== null && drawBlock !== null;
  const draw = isDrawn ? { number: drawBlock, time: await registry.ledger.timeOf(BigInt(drawBlock)) } : null;
  const before = rows.filter(({ createdAt, createdIn }) => isBeforeDraw({ at: createdAt, block: createdIn }, draw));
  return { rows: before.sort((a, b) => (a.serial < b.serial ? -1 : 1)), draw };
}

/**
 * Whether something was recorded before the draw block was known: the latest block was an earlier one. Of records of earlier versions only
 * the time is known, in whole seconds; those of the second of the draw block count as before it, as in the results of these versions.
 * @param block number of the latest block at the record
 */
export function isBeforeDraw({ at, block }: { at: Date; block: number | null }, draw: DrawBlock): boolean {
  if (draw === null) return true;
  return block === null ? at.getTime() < draw.time.getTime() + 1_000 : block < draw.number;
}

/** When a retirement was recorded, and whether that was after the draw. Nothing for those that were recorded before times were kept. */
function retirementOf(
  {
    retirementRecordedAt: at,
    retirementRecordedIn: block,
  }: Pick<DeviceDates, "retirementRecordedAt" | "retirementRecordedIn">,
  draw: DrawBlock,
) {
  if (at === null) return {};
  return {
    retirementRecordedAt: at.toISOString(),
    ...(block === null ? {} : { retirementRecordedIn: block }),
    ...(isBeforeDraw({ at, block }, draw) ? {} : { retiredAfterDraw: true }),
  };
}

function listed({ serial, installedOn, retiredOn }: { serial: string; installedOn: string; retiredOn: string | null }) {
  return { serial, installedOn, ...(retiredOn === null ? {} : { retiredOn }) };
}

/** A usage survey's committed frame and the serials of its devices. */
type SurveyedFrame = { usageFrame: UsageFrame; serials: ReadonlySet<string> };

/** Read the devices of a campaign's usage survey; undefined without one. */
export async function framedSerials(
  db: CampaignDeps["db"],
  usageFrame: UsageFrame | undefined,
): Promise<SurveyedFrame | undefined> {
  if (usageFrame === undefined) return undefined;
  const devices = await usageStore(db).frame(usageFrame.root as Hex);
  return { usageFrame, serials: new Set(devices.map(({ serial }) => serial)) };
}

/**
 * `frameSize`: households of the intervention frame. `until`: the day of the close, after which nothing is known of a device; absent:
 * devices count to the end of the year, as in results of earlier versions.
 */
type CountedIn = {
  endDate: string;
  frame: SurveyedFrame | undefined;
  frameSize: number;
  until?: string | undefined;
};

/**
 * Count the devices of a result: of households of the intervention frame, one at a time for each, in the crediting year, by age; with a
 * usage survey by the age on its day. Of a year that has not ended, the days count up to that of the close. The survey speaks for the devices of its frame and for those installed after its day. A device
 * that was registered later with an earlier date could not be drawn, so it does not count.
 */
export function countForResult(
  all: readonly ListedDevice[],
  terms: EmissionsTerms,
  { endDate, frame, frameSize, until }: CountedIn,
): CountedDevices {
  const year = countedPeriod(terms, endDate, until);
  const counted = {
    ...(until === undefined ? {} : { devicesTo: year.to }),
    ...householdsWithDevice(all, year, frameSize),
  };
  const own = all.filter((device) => isInFrame(device, frameSize));
  if (frame === undefined) return { devices: countDevices(oneAtATime(own), year), ...counted };
  const { usageFrame, serials } = frame;
  const surveyed = own.filter(({ serial, installedOn }) => serials.has(serial) || installedOn > usageFrame.day);
  const devices = countDevices(oneAtATime(surveyed), year, usageFrame.day);
  const drawable = new Map(usageFrame.cohorts.map((cohort) => [cohort.age, cohort.devices]));
  const cohorts = devices.cohorts.map((cohort) => ({ ...cohort, drawable: drawable.get(cohort.age) ?? 0 }));
  return { devices: { ...devices, cohorts }, ...counted };
}

/**
 * Say that a result of an earlier version counts devices on days after its close, when nobody knew whether they would be in use.
 * @param closedOn the day of the close in UTC
 */
export function laterDeviceDays(
  { terms, devices, devicesTo }: { terms: EmissionsTerms } & Partial<CountedDevices>,
  { endDate, closedOn }: { endDate: string; closedOn: string },
): RuleDetail[] {
  const last = lastDayOfYear(terms, endDate);
  if (devices === undefined || devicesTo !== undefined || closedOn >= last) return [];
  const message = `The result counts devices to ${last}, and the campaign was closed on ${closedOn}.`;
  return [{ path: "devices", rule: "devices-counted-to-close", message }];
}

/** Whether a device is in a household of the intervention frame. A list of an earlier close does not say it of any. */
export function isInFrame({ household }: ListedDevice, frameSize: number): boolean {
  return household === undefined || household < frameSize;
}

function householdsWithDevice(
  all: readonly ListedDevice[],
  { from, to }: Period,
  frameSize: number,
): Pick<CountedDevices, "deviceHouseholds"> {
  if (all.some(({ household }) => household === undefined)) return {};
  const found = new Set<number>();
  for (const { household, installedOn, retiredOn } of all) {
    const first = installedOn > from ? installedOn : from;
    if (household !== undefined && first <= to && (retiredOn === undefined || retiredOn > first)) found.add(household);
  }
  const inFrame = [...found].filter((household) => household < frameSize).length;
  return { deviceHouseholds: { inFrame, ofPlan: found.size } };
}

/** The last day of the year in which a result counts devices. */
export function lastDayOfYear(terms: EmissionsTerms, endDate: string): string {
  return `${vintageOf(terms, endDate)}-12-31`;
}

/** The days of the vintage's calendar year on which a result counts devices; of a year that has not begun, its first day. */
function countedPeriod(terms: EmissionsTerms, endDate: string, until: string | undefined): Period {
  const last = lastDayOfYear(terms, endDate);
  const from = `${last.slice(0, 4)}-01-01`;
  if (until === undefined || until >= last) return { from, to: last };
  return { from, to: until < from ? from : until };
}
