import { exact, formatScaled } from "../../../../wire/src/exact.ts";
import { kptDayOf, type LogConvention } from "../../../../wire/src/kpt-rules.ts";
import {
  type FuelMass,
  isDriedFuel,
  type KptFuel,
  type KptMoisture,
  type KptVisit,
} from "../../../../wire/src/kpt-visits.ts";
import { parseScaled } from "../../numbers/scaled.ts";
import { blankDetails, type DetailsDraft, sentDetails, unreadableDetails } from "./visit-details.ts";

/** The texts of one fuel's weighings, in kilograms, or kWh of electricity. */
export type FuelDraft = {
  fuel: KptFuel;
  scaleId: string;
  /** Mass of the container; absent: not asked. */
  tare?: string | undefined;
  days: DayDraft[];
  basis?: KptMoisture["basis"] | undefined;
};
export type DayDraft = {
  start: string;
  added: string;
  end: string;
  /** Nine readings of a moisture meter in percent, three for each piece of fuel; absent: none was entered. */
  readings?: string[] | undefined;
};

/** The parts of the form that give visits; without a fuel the form has one fuel and daily logs. */
export type VisitsDraft = {
  fuels: FuelDraft[];
  collector: string;
  times: string[];
  startDate: string;
  details: (DetailsDraft | null)[];
};

/** Data of the campaign that visits need. */
export type VisitsOf = {
  startDate: string;
  logConvention: LogConvention;
  fuel: KptFuel;
  /** How the campaign counts the fuel; absent: as weighed. */
  mass?: FuelMass | undefined;
};

const DECIMALS = 3;
const PERCENT_DECIMALS = 2;
/** Readings of a fuel's moisture on a day: three pieces at three points each. */
export const readingsInAll = 9;
const weights = ["start", "added", "end"] as const;

export const blankDay: DayDraft = { start: "", added: "0", end: "" };

/** A draft of a fuel with as many days as the form has. */
export function blankFuel(fuel: KptFuel, days: number): FuelDraft {
  return { fuel, scaleId: "", days: Array.from({ length: days }, () => ({ ...blankDay })) };
}

/** The days of the form's visits, counted from the first day of the period. */
function dayOf(index: number, { logConvention }: VisitsOf): number {
  return logConvention === "interval" ? index + 1 : index;
}

/** When a visit was, from its day and the time of day in this device's time zone; undefined when no time was entered. */
function timeOf(draft: VisitsDraft, index: number, about: VisitsOf): Date | undefined {
  const time = draft.times[index] ?? "";
  const firstDay = kptDayOf(draft.startDate === "" ? about.startDate : draft.startDate);
  if (!/^\d{2}:\d{2}$/.test(time) || Number.isNaN(firstDay)) return undefined;
  const date = new Date((firstDay + dayOf(index, about)) * 86_400_000).toISOString().slice(0, 10);
  return new Date(`${date}T${time}:00`);
}

const amountOf = (text: string) => parseScaled(text, DECIMALS);

/** Convert a reading to hundredths of a percent; undefined when it is not a number with at most 2 decimals. */
export const percentOf = (text: string) => parseScaled(text, PERCENT_DECIMALS);

/** Check whether a fuel's moisture is asked on a day: where dry mass counts, of solid biomass that was there. */
export function asksMoisture({ fuel }: FuelDraft, { start, added }: DayDraft, { mass }: VisitsOf): boolean {
  const isNone = amountOf(start) === 0n && amountOf(added) === 0n;
  return mass === "dry" && isDriedFuel(fuel) && !isNone;
}

/** The moisture of a fuel on a day, once its basis and all nine readings are entered. */
function moistureOf(fuel: FuelDraft, day: DayDraft, about: VisitsOf): KptMoisture | undefined {
  const { basis } = fuel;
  const { readings = [] } = day;
  const entered = readings.flatMap((text) => percentOf(text) ?? []);
  if (basis === undefined || entered.length !== readingsInAll || !asksMoisture(fuel, day, about)) return undefined;
  return { basis, readings: [0, 3, 6].map((first) => entered.slice(first, first + 3)) };
}

/** Convert a draft to visits. A field that is not a number counts as 0; `unreadableVisits` lists it. */
export function visitsOf(draft: VisitsDraft, about: VisitsOf): KptVisit[] {
  const days = draft.fuels[0]?.days.length ?? 0;
  return Array.from({ length: days }, (_, index) => ({
    day: dayOf(index, about),
    at: timeOf(draft, index, about)?.toISOString() ?? "",
    collector: draft.collector.trim(),
    fuels: draft.fuels.map((each) => {
      const { fuel, scaleId, days: texts } = each;
      const typed = texts[index] ?? blankDay;
      const [start = 0n, added = 0n, end = 0n] = weights.map((name) => amountOf(typed[name]));
      const moisture = moistureOf(each, typed, about);
      return {
        fuel,
        start,
        added,
        end,
        ...(scaleId.trim() === "" ? {} : { scaleId: scaleId.trim() }),
        ...(moisture === undefined ? {} : { moisture }),
      };
    }),
  }));
}

/** The fields of visits that cannot be sent: amounts that are not numbers, times that are missing, and the collector. */
export function unreadableVisits(draft: VisitsDraft, about: VisitsOf): string[] {
  const found = draft.fuels.flatMap(({ days }, i) =>
    days.flatMap((texts, day) =>
      weights.filter((name) => amountOf(texts[name]) === undefined).map((name) => `fuels.${i}.days.${day}.${name}`),
    ),
  );
  const times = draft.fuels[0]?.days.flatMap((_, day) =>
    timeOf(draft, day, about) === undefined ? [`times.${day}`] : [],
  );
  const collector = /^did:[a-z0-9]+:\S+$/.test(draft.collector.trim()) ? [] : ["collector"];
  const tares = draft.fuels.flatMap(({ tare = "" }, i) =>
    tare.trim() !== "" && amountOf(tare) === undefined ? [`fuels.${i}.tare`] : [],
  );
  const details = draft.details.flatMap((each, day) =>
    each === null ? [] : unreadableDetails(each).map((name) => `details.${day}.${name}`),
  );
  return [...found, ...tares, ...(times ?? []), ...collector, ...details];
}

/** Visits as the body of POST /v1/claims has them; amounts keep the typed digits. What the rules do not read comes from the draft. */
export function sentVisits(visits: readonly KptVisit[], draft: Pick<VisitsDraft, "fuels" | "details">) {
  const kilograms = (grams: bigint) => exact(formatScaled(grams, DECIMALS));
  const percent = (reading: bigint) => exact(formatScaled(reading, PERCENT_DECIMALS));
  const tareOf = (index: number) => {
    const tare = amountOf(draft.fuels[index]?.tare ?? "");
    return tare === undefined ? {} : { tare: kilograms(tare) };
  };
  return visits.map(({ fuels, ...visit }, day) => ({
    ...visit,
    ...sentDetails(draft.details[day] ?? blankDetails),
    fuels: fuels.map(({ start, added, end, fuel, scaleId, moisture }, index) => ({
      fuel,
      start: kilograms(start),
      added: kilograms(added),
      end: kilograms(end),
      ...tareOf(index),
      ...(scaleId === undefined ? {} : { scaleId }),
      ...(moisture === undefined
        ? {}
        : { moisture: { basis: moisture.basis, readings: moisture.readings.map((piece) => piece.map(percent)) } }),
    })),
  }));
}
