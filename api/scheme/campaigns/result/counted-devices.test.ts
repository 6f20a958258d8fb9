import assert from "node:assert/strict";
import { test } from "node:test";
import { countForResult, type ListedDevice } from "./counted-devices.ts";

const endDate = "2023-02-04";
const frame = undefined;
const device = (
  serial: string,
  household: number | undefined,
  installedOn: string,
  retiredOn?: string,
): ListedDevice => ({
  serial,
  household,
  installedOn,
  retiredOn,
});

test("devices of other households of the plan do not count, and the numbers of both are shown", () => {
  const inFrame = [0, 1, 2].map((place) => device(`A-${place}`, place, "2023-01-01"));
  const outside = Array.from({ length: 40 }, (_, i) => device(`B-${i}`, 3 + (i % 4), "2023-01-01"));
  const { devices, deviceHouseholds } = countForResult([...inFrame, ...outside], {}, { endDate, frame, frameSize: 3 });
  assert.deepEqual(devices, { days: 3 * 365, cohorts: [{ age: 1, devices: 3, days: 3 * 365 }], newDevices: 3 });
  assert.deepEqual(deviceHouseholds, { inFrame: 3, ofPlan: 7 });
});

test("a household outside the frame counts for the plan only with a device in the crediting year", () => {
  const listed = [
    device("A", 0, "2023-01-01"),
    device("B", 1, "2022-01-01", "2023-01-01"),
    device("C", 2, "2022-01-01", "2023-01-02"),
    device("D", 3, "2023-12-31"),
    device("E", 4, "2024-01-01"),
    device("F", 5, "2023-05-01", "2023-05-01"),
  ];
  const { deviceHouseholds } = countForResult(listed, {}, { endDate, frame, frameSize: 1 });
  assert.deepEqual(deviceHouseholds, { inFrame: 1, ofPlan: 3 });
});

test("with a usage survey, its device counts and not another one of the household, whatever the order of installation", () => {
  const usageFrame = {
    day: "2023-02-01",
    root: `0x${"0".repeat(64)}`,
    cohorts: [{ age: 1, devices: 2, sample: 2 }],
  };
  const listed = [
    // Registered after the commit with an earlier date: nobody could draw it.
    device("EARLIER", 0, "2022-06-01"),
    device("DRAWN", 0, "2023-01-01"),
    device("LATER", 0, "2023-03-01"),
    device("REPLACED", 1, "2023-01-01", "2023-07-01"),
    device("NEXT", 1, "2023-07-01"),
  ];
  const { devices } = countForResult(
    listed,
    {},
    { endDate, frame: { usageFrame, serials: new Set(["DRAWN", "REPLACED"]) }, frameSize: 2 },
  );
  // 365 days of DRAWN, 181 of REPLACED until the end of June and 184 of NEXT.
  assert.deepEqual(devices, {
    days: 730,
    cohorts: [{ age: 1, devices: 3, days: 730, drawable: 2 }],
    newDevices: 3,
  });
});

test("a list of an earlier close, which names no households, counts as it did then", () => {
  const listed = [device("A", undefined, "2023-01-01"), device("B", undefined, "2023-01-01")];
  const counted = countForResult(listed, {}, { endDate, frame, frameSize: 1 });
  assert.deepEqual(counted, {
    devices: { days: 730, cohorts: [{ age: 1, devices: 2, days: 730 }], newDevices: 2 },
  });
});
