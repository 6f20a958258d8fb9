import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AppError } from "../../platform/errors.ts";
import { anniversary, dayNumber, testDays } from "./dates.ts";
import { ageOn, countDevices, oneAtATime } from "./devices.ts";

const year2025 = { from: "2025-01-01", to: "2025-12-31" };

test("counts the days of a device from its installation to the day before its retirement", () => {
  const count = (installedOn: string, retiredOn?: string) =>
    countDevices([{ serial: "A", installedOn, retiredOn }], year2025).days;
  assert.equal(count("2024-06-01"), 365);
  assert.equal(count("2025-12-31"), 1);
  assert.equal(count("2026-01-01"), 0);
  assert.equal(count("2024-06-01", "2025-01-02"), 1);
  assert.equal(count("2025-03-01", "2025-03-01"), 0);
  assert.equal(count("2024-01-01", "2024-12-31"), 0);
});

test("puts the days before and after an anniversary into two ages", () => {
  const { cohorts, days, newDevices } = countDevices([{ serial: "A", installedOn: "2024-04-01" }], year2025);
  assert.deepEqual(cohorts, [
    { age: 1, devices: 1, days: 90 },
    { age: 2, devices: 1, days: 275 },
  ]);
  assert.deepEqual([days, newDevices], [365, 0]);
});

test("a device of 29 February has its anniversary on 1 March where there is none", () => {
  const { cohorts } = countDevices([{ serial: "A", installedOn: "2024-02-29" }], year2025);
  assert.deepEqual(
    cohorts.map(({ days }) => days),
    [59, 306],
  );
});

test("puts each device into one age, its year of life on the day of the survey", () => {
  const devices = [
    { serial: "second year", installedOn: "2024-04-01" },
    { serial: "first year", installedOn: "2024-07-01" },
    { serial: "later", installedOn: "2025-10-01" },
    { serial: "retired before", installedOn: "2024-04-01", retiredOn: "2025-05-01" },
    { serial: "gone before the period", installedOn: "2023-01-01", retiredOn: "2024-12-31" },
  ];
  const { cohorts, days } = countDevices(devices, year2025, "2025-06-01");
  assert.deepEqual(cohorts, [
    { age: 1, devices: 2, days: 365 + 92, drawable: 1 },
    { age: 2, devices: 2, days: 365 + 120, drawable: 1 },
  ]);
  assert.equal(days, countDevices(devices, year2025).days);
  assert.throws(() => countDevices(devices, year2025, "June"), AppError);
});

test("counts the devices that were installed in the period as new", () => {
  const devices = ["2024-12-31", "2025-01-01", "2025-12-31", "2026-01-01"].map((installedOn) => ({
    serial: installedOn,
    installedOn,
  }));
  assert.equal(countDevices(devices, year2025).newDevices, 2);
});

test("the ages of a device together have all of its days", () => {
  const day = fc.integer({ min: 0, max: 6000 });
  const dateOf = (offset: number) => new Date(Date.UTC(2015, 0, 1 + offset)).toISOString().slice(0, 10);
  fc.assert(
    fc.property(day, day, day, day, (installed, life, start, length) => {
      const period = { from: dateOf(start), to: dateOf(start + length) };
      const { cohorts, days } = countDevices(
        [{ serial: "A", installedOn: dateOf(installed), retiredOn: dateOf(installed + life) }],
        period,
      );
      const expected = Math.max(0, Math.min(installed + life, start + length + 1) - Math.max(installed, start));
      assert.equal(days, expected);
      assert.equal(
        cohorts.reduce((sum, each) => sum + each.days, 0),
        expected,
      );
    }),
  );
});

test("refuses a repeated serial, invalid dates and dates out of order, all together", () => {
  const devices = [
    { serial: "A", installedOn: "2025-02-29" },
    { serial: "A", installedOn: "2025-01-02", retiredOn: "2025-01-01" },
    { serial: "B", installedOn: "2025-01-01", retiredOn: "soon" },
  ];
  assert.throws(
    () => countDevices(devices, { from: "2025-12-31", to: "2025-01-01" }),
    (error) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual(error.details.map(({ path, rule }) => `${path} ${rule}`).sort(), [
        "creditingPeriod.to dates-in-order",
        "devices.0.installedOn date",
        "devices.1.retiredOn dates-in-order",
        "devices.1.serial serial-once",
        "devices.2.retiredOn date",
      ]);
      return true;
    },
  );
});

test("keeps one device at a time for each household, in the order of installation", () => {
  const keptOf = (devices: Parameters<typeof oneAtATime>[0]) => oneAtATime(devices).map(({ serial }) => serial);
  const household = 7;
  const second = { serial: "second", household, installedOn: "2025-02-01" };
  const first = { serial: "first", household, installedOn: "2025-01-01", retiredOn: "2025-02-02" };
  assert.deepEqual(keptOf([second, first]), ["first"]);
  assert.deepEqual(keptOf([second, { ...first, retiredOn: "2025-02-01" }]), ["first", "second"]);
  assert.deepEqual(keptOf([second, { ...first, household: 8 }]), ["first", "second"]);
  assert.deepEqual(keptOf([second, { ...first, household: undefined }]), ["first", "second"]);
  const third = { serial: "third", household, installedOn: "2025-03-01" };
  const gone = { ...second, retiredOn: "2025-02-20" };
  assert.deepEqual(keptOf([third, gone, { ...first, retiredOn: "2025-03-01" }]), ["first", "third"]);
});

test("of a household's devices that were installed on one day, keeps the one that stays longest, then the smaller serial", () => {
  const of = (serial: string, retiredOn?: string) => ({ serial, household: 1, installedOn: "2025-01-01", retiredOn });
  const keptOf = (...devices: ReturnType<typeof of>[]) => oneAtATime(devices).map(({ serial }) => serial);
  assert.deepEqual(keptOf(of("A", "2025-06-01"), of("B")), ["B"]);
  assert.deepEqual(keptOf(of("B"), of("A")), ["A"]);
  // One that was retired on its first day is never in place.
  assert.deepEqual(keptOf(of("A", "2025-01-01"), of("B")), ["B", "A"]);
});

test("a retirement that was recorded after the draw ends the device's days and frees no place", () => {
  const first = { serial: "first", household: 1, installedOn: "2018-01-01", retiredOn: "2025-02-01" };
  const second = { serial: "second", household: 1, installedOn: "2025-02-01" };
  const late = { ...first, retiredAfterDraw: true };
  const counted = (...devices: Parameters<typeof oneAtATime>[0]) => countDevices(oneAtATime(devices), year2025);
  assert.equal(counted(first, second).days, 365);
  assert.deepEqual(counted(late, second), { days: 31, cohorts: [{ age: 8, devices: 1, days: 31 }], newDevices: 0 });
  // Nor does it come after another one of the same day, or leave the list by never having been in place.
  const twins = { ...second, installedOn: first.installedOn };
  assert.deepEqual(counted(late, twins).days, 31);
  assert.deepEqual(counted({ ...late, retiredOn: late.installedOn }, second).days, 0);
});

test("never counts more device-days of a household than the period has days", () => {
  const day = fc
    .integer({ min: 0, max: 900 })
    .map((n) => new Date(Date.UTC(2024, 0, 1 + n)).toISOString().slice(0, 10));
  const device = fc.record({
    household: fc.integer({ min: 0, max: 2 }),
    days: fc.tuple(day, day),
    isRetired: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(device, { maxLength: 12 }), (given) => {
      const devices = given.map(({ household, days: [a, b], isRetired }, i) => {
        const [installedOn, retiredOn] = a < b ? [a, b] : [b, a];
        return { serial: `${i}`, household, installedOn, retiredOn: isRetired ? retiredOn : undefined };
      });
      for (const household of [0, 1, 2]) {
        const kept = oneAtATime(devices).filter((each) => each.household === household);
        assert.ok(countDevices(kept, year2025).days <= 365);
        const isLost = devices.some((each) => each.household === household) && kept.length === 0;
        assert.equal(isLost, false);
      }
    }),
  );
});

test("counts the days of a test as calendar days or as intervals", () => {
  const dates = { startDate: "2026-02-27", endDate: "2026-03-02" };
  assert.deepEqual([testDays(dates, "calendar"), testDays(dates, "interval")], [4, 3]);
  assert.equal(dayNumber("1970-01-02"), 1);
  assert.throws(() => testDays({ ...dates, endDate: "never" }, "calendar"), RangeError);
});

test("gives a device the age that counting its anniversaries one by one gives", () => {
  const date = fc
    .date({ min: new Date("0100-01-01"), max: new Date("9998-12-31"), noInvalidDate: true })
    .map((at) => at.toISOString().slice(0, 10));
  const leapDay = fc.integer({ min: 25, max: 500 }).map((n) => `${String(4 * n).padStart(4, "0")}-02-29`);
  fc.assert(
    fc.property(
      fc.oneof(
        date,
        leapDay.filter((day) => dayNumber(day) !== null),
      ),
      date,
      (installedOn, day) => {
        let age = 1;
        while (anniversary(installedOn, age) <= (dayNumber(day) as number)) age++;
        assert.equal(ageOn(installedOn, day), age);
      },
    ),
  );
});

test("counts devices with dates far in the past as fast as others", () => {
  const timeOf = (installedOn: string) => {
    const devices = Array.from({ length: 5_000 }, (_, i) => ({ serial: `${i}`, installedOn }));
    const begin = performance.now();
    assert.equal(countDevices(devices, year2025).days, 5_000 * 365);
    assert.equal(countDevices(devices, year2025, "2025-06-01").days, 5_000 * 365);
    return performance.now() - begin;
  };
  timeOf("2020-01-01");
  const recent = timeOf("2020-01-01");
  const old = timeOf("0100-01-01");
  assert.ok(old < 20 * recent, `${old} ms against ${recent} ms`);
});
