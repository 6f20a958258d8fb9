import { type KptVisit, usedOf } from "../../../../wire/src/kpt-visits.ts";
import { type CookingEvent, cookingEvents } from "./events.ts";
import type { StoveSeries } from "./series.ts";

/** A day of a claim's logs, and what a monitor counted in it. */
export type StoveDay = {
  /** From the first day of the period, 0. */
  day: number;
  /** Whether the claim says that the stove, or a fuel, was used. */
  logged: boolean;
  events: number;
  hasReadings: boolean;
};

/** The series of a claim's monitor, compared with the claim's logs. */
export type StoveUse = {
  /** Place in the claim's evidence, from 0. */
  item: number;
  /** Serial or kind of the stove, as the claim states it. */
  stove: string | null;
  measure: StoveSeries["measure"];
  readings: number;
  /** Times of the first and last reading, in milliseconds since 1970-01-01. */
  firstAt: number;
  lastAt: number;
  events: number;
  /** `stove`: the visits say on which days this stove was used. `fuel`: days on which a fuel was used. */
  comparedWith: "stove" | "fuel";
  days: StoveDay[];
};

type VisitWithStoves = Pick<KptVisit, "day" | "at" | "fuels"> & {
  stoves?: readonly { serial?: string | undefined; kind: string; used: boolean }[] | undefined;
};
export type ComparedClaim = {
  /** First and last day of the period, days since 1970-01-01. */
  startDay: number;
  endDay: number;
  /** Fuel of each log; not read where there are visits. */
  dailyLogs: readonly bigint[];
  visits: readonly VisitWithStoves[] | undefined;
};
export type AttachedSeries = { item: number; stove: string | null; series: StoveSeries };

/** A day's log, and which events and readings belong to it. */
type Logged = {
  day: number;
  usesFuel: boolean;
  stoves: VisitWithStoves["stoves"];
  /** Whether a time, with its date as the monitor writes it, is before (-1), in (0) or after (1) the log's day. */
  sideOf: (at: number, date: string) => -1 | 0 | 1;
};

const dayMs = 86_400_000;

/** Compare each series of a claim with the claim's logged days. It changes nothing: a difference is for an evaluator. */
export function compareStoveUse(claim: ComparedClaim, attached: readonly AttachedSeries[]): StoveUse[] {
  const logs = claim.visits === undefined ? logsByDate(claim) : logsByVisit(claim.visits);
  return attached.map(({ item, stove, series }) => {
    const { measure, readings } = series;
    const events = cookingEvents(series);
    const own = logs.flatMap((log) => {
      const listed = log.stoves?.find(({ serial, kind }) => stove !== null && (serial === stove || kind === stove));
      return listed === undefined ? [] : [dayOf(log, listed.used, series, events)];
    });
    return {
      item,
      stove,
      measure,
      readings: readings.length,
      firstAt: readings[0]?.at ?? 0,
      lastAt: readings.at(-1)?.at ?? 0,
      events: events.length,
      comparedWith: own.length > 0 ? "stove" : "fuel",
      days: own.length > 0 ? own : logs.map((log) => dayOf(log, log.usesFuel, series, events)),
    };
  });
}

/** One log for each calendar day. With one log fewer than days, the first day has none. */
function logsByDate({ startDay, endDay, dailyLogs }: ComparedClaim): Logged[] {
  const first = endDay - startDay + 1 - dailyLogs.length;
  return dailyLogs.map((fuel, i) => {
    const day = first + i;
    const wanted = new Date((startDay + day) * dayMs).toISOString().slice(0, 10);
    return { day, usesFuel: fuel > 0n, stoves: undefined, sideOf: (_at, date) => sideOf(date, wanted, wanted) };
  });
}

/** One log for each visit with weighings: the time since the previous visit, or 24 hours if it is the first visit. */
function logsByVisit(visits: readonly VisitWithStoves[]): Logged[] {
  const inOrder = [...visits].sort((a, b) => a.day - b.day);
  return inOrder.flatMap(({ day, at, fuels, stoves }, i) => {
    if (fuels.length === 0) return [];
    const to = Date.parse(at);
    const before = inOrder[i - 1];
    const from = before === undefined ? to - dayMs : Date.parse(before.at);
    const usesFuel = fuels.some((weighing) => usedOf(weighing) > 0n);
    return [{ day, usesFuel, stoves, sideOf: (time: number) => sideOf(time, from + 1, to) }];
  });
}

function dayOf(log: Logged, logged: boolean, series: StoveSeries, events: readonly CookingEvent[]): StoveDay {
  return {
    day: log.day,
    logged,
    events: events.filter(({ from, date }) => log.sideOf(from, date) === 0).length,
    hasReadings: hasReadings(log, series),
  };
}

/** A state lasts until the next reading, so a day between two readings needs none. */
function hasReadings({ sideOf: side }: Logged, { measure, readings }: StoveSeries): boolean {
  const sides = new Set(readings.map(({ at, date }) => side(at, date)));
  return sides.has(0) || (measure === "state" && sides.has(-1) && sides.has(1));
}

function sideOf<T extends number | string>(value: T, first: T, last: T): -1 | 0 | 1 {
  if (value < first) return -1;
  return value > last ? 1 : 0;
}
