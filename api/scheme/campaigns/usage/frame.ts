import type { Hex } from "viem";
import { ageOn, type Method, methods, oneAtATime, usageSampleSizes } from "../../emissions/index.ts";
import type { CampaignDeps } from "../deps.ts";
import { buildFrame } from "../frame/frame.ts";
import { usualMethod } from "../result/inputs/emissions-terms.ts";
import type { UsageFrame } from "./frame-terms.ts";
import { usageStore } from "./store.ts";
import type { FrameDevice } from "./tables.ts";

type FrameDeps = Pick<CampaignDeps, "clock" | "db" | "devices" | "registry">;
/** `method`: that of the terms. `households`: those of the intervention frame, by their numbers in the registry. */
type Planned = {
  plan: number;
  startDate: string;
  method: Method | undefined;
  households: ReadonlySet<number>;
};

/**
 * Store the frame of a campaign's usage survey and return what its terms commit: one device of each household of the intervention frame.
 * @returns undefined where none of them has a device in place on the first day of the test
 */
export async function keepUsageFrame(
  deps: FrameDeps,
  { plan, startDate, method, households }: Planned,
): Promise<UsageFrame | undefined> {
  const inPlace = await deps.devices.inPlace(plan, startDate);
  const inFrame = inPlace.filter(({ household }) => households.has(household));
  const listed = oneAtATime(inFrame.map((device) => ({ ...device, retiredOn: device.retiredOn ?? undefined })));
  if (listed.length === 0) return undefined;
  const bySerial = new Map<string, FrameDevice>();
  for (const { serial, installedOn, household } of listed) {
    bySerial.set(serial, { serial, age: ageOn(installedOn, startDate), household });
  }
  const { root, dids: serials } = await buildFrame([...bySerial.keys()], (serial) =>
    usageLeafOf(deps, bySerial.get(serial) as FrameDevice),
  );
  const devices = serials.map((serial) => bySerial.get(serial) as FrameDevice);
  await usageStore(deps.db).saveFrame(root, devices, deps.clock.now());
  return { day: startDate, root, cohorts: cohortsOf(devices, method) };
}

/** The keyed hash of a device. Without the scheme's key, nobody can tell which device it is. */
export function usageLeafOf({ registry }: Pick<CampaignDeps, "registry">, { serial, age }: FrameDevice): Hex {
  return registry.households.hashOf(`usage-device ${age} ${serial}`);
}

function cohortsOf(
  devices: readonly FrameDevice[],
  { minimums } = methods.get(usualMethod) as Method,
): UsageFrame["cohorts"] {
  const counted = new Map<number, number>();
  for (const { age } of devices) counted.set(age, (counted.get(age) ?? 0) + 1);
  const cohorts = [...counted].sort(([a], [b]) => a - b).map(([age, number]) => ({ age, devices: number, days: 0 }));
  const sizes = usageSampleSizes(cohorts, minimums.usageSurvey);
  return cohorts.map(({ age, devices: number }, i) => ({ age, devices: number, sample: sizes[i]?.size ?? 0 }));
}
