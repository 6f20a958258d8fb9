import assert from "node:assert/strict";
import { test } from "node:test";
import { countForResult, isBeforeDraw, type ListedDevice, laterDeviceDays } from "./counted-devices.ts";

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

test("of a year that has not ended at the close, only the days to the close count", () => {
  const listed = [device("A", 0, "2022-05-01"), device("B", 1, "2023-02-03"), device("C", 2, "2023-02-06")];
  const counted = (until: string, vintage?: number) =>
    countForResult(listed, vintage === undefined ? {} : { vintage }, { endDate, frame, frameSize: 2, until });
  const early = counted("2023-02-05");
  assert.deepEqual([early.devices.days, early.devices.newDevices, early.devicesTo], [36 + 3, 1, "2023-02-05"]);
  assert.deepEqual(early.deviceHouseholds, { inFrame: 2, ofPlan: 2 });
  const late = counted("2024-02-05");
  assert.deepEqual([late.devices.days, late.devicesTo], [365 + 332, "2023-12-31"]);
  assert.deepEqual(late.deviceHouseholds, { inFrame: 2, ofPlan: 3 });
  // A year that has not begun is not certified; one day of it counts.
  const future = counted("2023-02-05", 2024);
  assert.deepEqual([future.devices.days, future.devicesTo], [2, "2024-01-01"]);
});

test("a result that counted later days than its close has a problem, and no other", () => {
  const { devices } = countForResult([device("A", 0, "2022-05-01")], {}, { endDate, frame, frameSize: 1 });
  const rulesOf = (closedOn: string, more: object = {}) =>
    laterDeviceDays({ terms: {}, devices, ...more }, { endDate, closedOn }).map(({ rule }) => rule);
  assert.deepEqual(rulesOf("2023-12-30"), ["devices-counted-to-close"]);
  assert.deepEqual(rulesOf("2023-12-31"), []);
  assert.deepEqual(rulesOf("2023-12-30", { devicesTo: "2023-12-30" }), []);
  assert.deepEqual(rulesOf("2023-12-30", { devices: undefined }), []);
});

test("a record counts as before the draw while the latest block is an earlier one, also in the second of the draw block", () => {
  const time = new Date("2024-02-10T08:00:00Z");
  const draw = { number: 100, time };
  assert.deepEqual(
    [98, 99, 100, 101].map((block) => isBeforeDraw({ at: time, block }, draw)),
    [true, true, false, false],
  );
  assert.equal(isBeforeDraw({ at: time, block: 101 }, null), true);
  // Of an earlier version only the time is known.
  const later = new Date(time.getTime() + 1_000);
  assert.deepEqual(
    [time, later].map((at) => isBeforeDraw({ at, block: null }, draw)),
    [true, false],
  );
});
