import assert from "node:assert/strict";
import { test } from "node:test";
import { compareStoveUse } from "./compare.ts";
import { cookingEvents } from "./events.ts";
import { readStoveSeries } from "./series.ts";

const csv = (header: string, ...rows: string[]) => Buffer.from(`${[header, ...rows].join("\n")}\n`);
const series = async (header: string, ...rows: string[]) => {
  const read = await readStoveSeries(csv(header, ...rows));
  return "series" in read ? read.series : assert.fail(JSON.stringify(read.broken));
};
const rulesOf = async (bytes: Uint8Array) => {
  const read = await readStoveSeries(bytes);
  return "broken" in read ? read.broken.map(({ rule, message }) => `${rule}: ${message}`) : [];
};
const eventsOf = async (header: string, ...rows: string[]) =>
  cookingEvents(await series(header, ...rows)).map(({ from, to }) => [
    new Date(from).toISOString().slice(11, 16),
    new Date(to).toISOString().slice(11, 16),
  ]);
const at = (time: string) => `2024-02-01T${time}:00Z`;

test("counts readings above 75 °C as cooking, and joins pauses below 30 minutes", async () => {
  const rows = [
    ["06:00", "24.5"],
    ["06:10", "75"],
    ["06:20", "75.001"],
    ["06:30", "310"],
    ["06:40", "60"],
    ["06:59", "90"],
    ["07:10", "40"],
    ["07:40", "80"],
    ["07:50", "20"],
  ].map(([time = "", celsius]) => `${at(time)},${celsius}`);
  assert.deepEqual(await eventsOf("timestamp,temperature", ...rows), [
    ["06:20", "07:10"],
    ["07:40", "07:50"],
  ]);
});

test("leaves out events below 5 minutes, and lets a temperature hold for 30 minutes at most", async () => {
  const rows = [
    ["06:00", "80"],
    ["06:04", "20"],
    ["08:00", "80"],
    ["12:00", "20"],
  ].map(([time = "", celsius]) => `${at(time)},${celsius}`);
  assert.deepEqual(await eventsOf("timestamp,temperature", ...rows), [["08:00", "08:30"]]);
});

test("reads a monitor that reports on and off: a state lasts until the next reading", async () => {
  const rows = [`on,${at("05:00")}`, `off,${at("07:15")}`, `1,${at("17:00")}`, `0,${at("17:03")}`];
  assert.deepEqual(await eventsOf("ON,Timestamp", ...rows), [["05:00", "07:15"]]);
});

test("names every kind of fault of a file with its first row", async () => {
  const faulty = csv(
    "timestamp,temperature",
    `${at("06:00")},20`,
    "yesterday,20",
    `${at("06:20")},hot`,
    `${at("06:10")},20`,
    "2024-02-01T06:30:00,1001",
    `${at("06:40")},20,1`,
  );
  assert.deepEqual(await rulesOf(faulty), [
    "series-timestamp: Row 2 and 1 more: a time with its offset is expected, such as 2024-02-01T17:30:00+02:00.",
    "series-value: Row 3 and 1 more: a temperature is from -50 to 1000 °C, with at most 3 decimals.",
    "series-order: Row 4: each reading is later than the one before.",
    "cell-count: Row 6: the row has 3 cells, the header has 2.",
  ]);
  assert.deepEqual(await rulesOf(csv("timestamp,on", `${at("06:00")},maybe`)), [
    "series-value: Row 1: on, off, true, false, 1 or 0 is expected.",
    "series-length: A series has at least 2 readings.",
  ]);
  assert.deepEqual(await rulesOf(csv("timestamp", at("06:00"))), [
    "series-columns: A series has the column temperature (°C) or the column on, and not both.",
  ]);
  assert.deepEqual(await rulesOf(csv("time,on,temperature", "1,1,1")), [
    'known-column: Column "time" is not one of timestamp, temperature, on.',
    'column-present: Column "timestamp" is missing.',
  ]);
  assert.deepEqual(await rulesOf(Buffer.from([0xff, 0xfe, 0x00])), ["encoding: The file must be UTF-8 text."]);
});

const startDay = Date.parse("2024-02-01") / 86_400_000;
const span = { startDay, endDay: startDay + 2 };

test("compares the days with cooking events with the daily logs, by the date that the monitor writes", async () => {
  const monitor = await series(
    "timestamp,on",
    "2024-02-01T18:00:00+02:00,on",
    "2024-02-01T19:00:00+02:00,off",
    // In UTC this is still the second day.
    "2024-02-03T00:30:00+02:00,on",
    "2024-02-03T01:30:00+02:00,off",
  );
  const claim = { ...span, dailyLogs: [1n, 1n, 1n], visits: undefined };
  const [use] = compareStoveUse(claim, [{ item: 0, stove: null, series: monitor }]);
  assert.equal(use?.comparedWith, "fuel");
  assert.deepEqual(
    use?.days.map(({ day, logged, events, hasReadings }) => [day, logged, events, hasReadings]),
    [
      [0, true, 1, true],
      [1, true, 0, true],
      [2, true, 1, true],
    ],
  );
});

test("with logs of intervals, a log belongs to each day but the first", async () => {
  const monitor = await series("timestamp,on", "2024-02-02T18:00:00Z,on", "2024-02-02T19:00:00Z,off");
  const claim = { ...span, dailyLogs: [1n, 1n], visits: undefined };
  const [use] = compareStoveUse(claim, [{ item: 0, stove: null, series: monitor }]);
  assert.deepEqual(
    use?.days.map(({ day, events, hasReadings }) => [day, events, hasReadings]),
    [
      [1, 1, true],
      [2, 0, false],
    ],
  );
});

test("with visits, compares the time between two visits with what they say of the stove", async () => {
  const visit = (day: number, used: boolean | undefined) => ({
    day,
    at: `2024-02-0${day + 1}T17:00:00Z`,
    collector: "did:key:z6Mk",
    fuels: [{ fuel: "wood" as const, start: 10_000n, added: 0n, end: day === 2 ? 10_000n : 8_000n }],
    ...(used === undefined ? {} : { stoves: [{ serial: "STOVE-1", kind: "Jiko 2", used }] }),
  });
  const monitor = await series(
    "timestamp,on",
    "2024-02-01T06:00:00Z,on",
    "2024-02-01T07:00:00Z,off",
    // After the second visit: of the third day.
    "2024-02-02T18:00:00Z,on",
    "2024-02-02T19:00:00Z,off",
    "2024-02-03T17:00:00Z,off",
  );
  const claim = { ...span, dailyLogs: [], visits: [visit(0, true), visit(1, true), visit(2, undefined)] };
  const [own, other] = compareStoveUse(claim, [
    { item: 0, stove: "STOVE-1", series: monitor },
    { item: 1, stove: "three stones", series: monitor },
  ]);
  assert.equal(own?.comparedWith, "stove");
  assert.deepEqual(
    own?.days.map(({ day, logged, events }) => [day, logged, events]),
    [
      [0, true, 1],
      [1, true, 0],
    ],
  );
  assert.equal(other?.comparedWith, "fuel");
  assert.deepEqual(
    other?.days.map(({ day, logged, events }) => [day, logged, events]),
    [
      [0, true, 1],
      [1, true, 0],
      [2, false, 1],
    ],
  );
});
