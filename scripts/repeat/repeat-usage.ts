import type { Hex } from "viem";
import type { UsageFrame } from "../../api/scheme/campaigns/usage/frame-terms.ts";
import type { SurveyedCohort } from "../../api/scheme/campaigns/usage/survey.ts";
import { frameRootOf, inDrawOrder, orderSeedFrom } from "../draw/recompute.ts";
import { differencesOf } from "./differences.ts";
import type { RoomData } from "./room-data.ts";
import { type Step, step } from "./step.ts";

/** Separates the order of devices from that of households. */
const devicesByte = "0x02";

/** Repeat the draw of the usage survey's devices and check that each position has ended. */
export function repeatUsage({ usage, draw }: RoomData, frame: UsageFrame | undefined): Step[] {
  if (frame === undefined) return [];
  const title = "Usage survey: devices drawn from the committed frame, each with one record";
  if (usage === undefined) return [step(title, ["The terms commit a usage survey; the data room has none."])];
  const faults: string[] = [];
  const { devices, positions } = usage;
  const root = devices.length === 0 ? null : frameRootOf(devices.map(({ leaf }) => leaf as Hex));
  const counted = frame.cohorts.map(({ age }) => ({ age, devices: devices.filter((each) => each.age === age).length }));
  const differences = [
    ...differencesOf(frame.root, root, "root of the devices"),
    ...differencesOf(
      frame.cohorts.map(({ age, devices: count }) => ({ age, devices: count })),
      counted,
      "devices by age",
    ),
  ];
  const seed = draw.draw && orderSeedFrom(draw.draw.seed as Hex, draw.draw.beacon);
  if (seed === null) faults.push("The campaign was not drawn.");
  else differences.push(...differencesOf(positions.map(placeOf), drawn(devices, frame, seed), "drawn devices"));
  for (const { position, record } of positions) {
    if (record === null) faults.push(`Device position ${position} has not ended.`);
    else if (record.outcome === "missing" && record.reason === null) {
      faults.push(`Device position ${position} is missing without a reason.`);
    }
  }
  return [step(title, faults, differences)];
}

const placeOf = ({ position, age, serial }: { position: number; age: number; serial: string }) => ({
  position,
  age,
  serial,
});

type Device = { serial: string; age: number; leaf: string };

/** By age, and of one age in the order of the draw. */
function drawn(devices: readonly Device[], { cohorts }: UsageFrame, seed: Hex) {
  const taken = [...cohorts]
    .sort((a, b) => a.age - b.age)
    .flatMap(({ age, sample }) =>
      inDrawOrder(
        seed,
        devicesByte,
        devices.filter((each) => each.age === age),
      ).slice(0, sample),
    );
  return taken.map((device, position) => placeOf({ ...device, position }));
}

/** How the drawn devices of each age ended. */
export function surveyedCohorts({ usage }: RoomData, { cohorts }: UsageFrame): SurveyedCohort[] {
  return cohorts.map(({ age, devices, sample }) => {
    const records = (usage?.positions ?? []).filter((each) => each.age === age).map(({ record }) => record);
    const count = (is: (record: NonNullable<(typeof records)[number]>) => boolean) =>
      records.filter((record) => record !== null && is(record)).length;
    const inUse = count(({ inUse }) => inUse === true);
    const notInUse = count(({ outcome, inUse }) => outcome === "surveyed" && inUse !== true);
    const missing = count(({ outcome }) => outcome === "missing");
    return { age, devices, sample, inUse, notInUse, missing, open: sample - inUse - notInUse - missing };
  });
}
