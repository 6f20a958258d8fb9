import { exact, formatScaled } from "../../../../wire/src/exact.ts";
import type { CampaignGroup } from "../../../../wire/src/ids.ts";
import { type KptMeasurement, kptDayOf, logsOfPeriod } from "../../../../wire/src/kpt-rules.ts";
import { amountIn, measurementOfVisits } from "../../../../wire/src/kpt-visits.ts";
import { parseScaled } from "../../numbers/scaled.ts";
import type { Campaign } from "../campaigns/records.ts";
import type { DetailsDraft } from "./visit-details.ts";
import { blankFuel, type FuelDraft, sentVisits, unreadableVisits, type VisitsOf, visitsOf } from "./visits-draft.ts";

/** The texts of the form's fields. */
export type KptDraft = {
  testGroup: CampaignGroup;
  householdId: string;
  startDate: string;
  endDate: string;
  /** Kilograms, one text for each day. */
  logs: string[];
  total: string;
  /** Weighings of several fuels, instead of `logs` and `total`; empty: there is one fuel. */
  fuels: FuelDraft[];
  /** DID of the person who weighed. */
  collector: string;
  /** Time of each visit, HH:MM. */
  times: string[];
  /** What each visit found besides the weighings; null or absent: not entered. */
  details: (DetailsDraft | null)[];
  season: string;
  culturalEvents: string[];
  occupationalFactors: string[];
  /** True: an empty list means that there were none; false: nothing was entered. */
  nothingSpecial: boolean;
};

export const blankDraft: KptDraft = {
  testGroup: "reference",
  householdId: "",
  startDate: "",
  endDate: "",
  logs: ["", "", ""],
  total: "",
  fuels: [],
  collector: "",
  times: [],
  details: [],
  season: "",
  culturalEvents: [],
  occupationalFactors: [],
  nothingSpecial: false,
};

/** Most days of a test that the form asks for from the start: of a longer period, a household is visited on a part. */
const usualMost = 7;

type LogsOf = Pick<Campaign, "testPeriod" | "logConvention"> & { days?: number | null };

/** An empty text for each daily log that the terms fix; else for those of the campaign's period, or three if it is long. */
export function blankLogs({ testPeriod, logConvention, days }: LogsOf): string[] {
  if (days != null) return Array(days).fill("");
  const span = { startDay: kptDayOf(testPeriod.startDate), endDay: kptDayOf(testPeriod.endDate) };
  const count = logsOfPeriod(logConvention, span);
  return count > blankDraft.logs.length && count <= usualMost ? Array(count).fill("") : blankDraft.logs;
}

/** The weighings that the form begins with: where dry mass counts, the campaign's fuel has to be weighed; elsewhere none. */
export function blankFuels({ fuel, mass }: VisitsOf, days: number): FuelDraft[] {
  return mass === "dry" ? [blankFuel(fuel, days)] : [];
}

const GRAM_DECIMALS = 3;

/** Convert a text in kilograms to grams; undefined when it is not a number with at most 3 decimals. */
export function gramsOf(text: string): bigint | undefined {
  return parseScaled(text, GRAM_DECIMALS);
}

export function kilogramsOf(grams: bigint): string {
  return formatScaled(grams, GRAM_DECIMALS);
}

/** The sum of the days that are valid numbers. */
export function sumOf(logs: readonly string[]): bigint {
  return logs.reduce((sum, text) => sum + (gramsOf(text) ?? 0n), 0n);
}

/** The fields that are not numbers: `total`, or the day's index; of several fuels, their names in the form. */
export function unreadable(draft: KptDraft, about: VisitsOf = usual(draft)): (number | string)[] {
  if (draft.fuels.length > 0) return unreadableVisits(draft, about);
  const { logs, total } = draft;
  const days = logs.flatMap((text, day) => (gramsOf(text) === undefined ? [day] : []));
  return gramsOf(total) === undefined ? [...days, "total"] : days;
}

/** Convert a draft to the form that the rules check. A field that is not a number counts as 0; `unreadable` lists it. */
export function measurementOf(draft: KptDraft, about: VisitsOf = usual(draft)): KptMeasurement {
  const { testGroup, householdId } = draft;
  const externalFactors = factorsOf(draft);
  if (draft.fuels.length > 0) {
    const visits = visitsOf(draft, about);
    return {
      testGroup,
      householdId,
      fuelMeasurements: measurementOfVisits(visits, about.fuel, amountIn(about.mass, testGroup)),
      visits,
      externalFactors,
    };
  }
  const fuelMeasurements = {
    total: gramsOf(draft.total) ?? 0n,
    dailyLogs: draft.logs.map((text) => gramsOf(text) ?? 0n),
  };
  return { testGroup, householdId, fuelMeasurements, externalFactors };
}

const usual = ({ startDate }: KptDraft): VisitsOf => ({ startDate, logConvention: "calendar-days", fuel: "wood" });

function factorsOf({ season, culturalEvents, occupationalFactors, nothingSpecial }: KptDraft) {
  return {
    ...(season.trim() === "" ? {} : { season: season.trim() }),
    ...(culturalEvents.length > 0 || nothingSpecial ? { culturalEvents } : {}),
    ...(occupationalFactors.length > 0 || nothingSpecial ? { occupationalFactors } : {}),
  };
}

/** Make the body of POST /v1/claims; kilograms keep the typed digits. */
export function claimOf(campaignId: string, draft: KptDraft, about: VisitsOf = usual(draft)) {
  const { startDate, endDate, testGroup, householdId } = draft;
  const { fuelMeasurements, visits } = measurementOf(draft, about);
  const { total, dailyLogs } = fuelMeasurements;
  const externalFactors = factorsOf(draft);
  return {
    type: "KPTClaim" as const,
    campaignId,
    householdId,
    testGroup,
    ...(startDate === "" || endDate === "" ? {} : { testPeriod: { startDate, endDate } }),
    ...(visits === undefined
      ? {
          fuelMeasurements: {
            total: exact(kilogramsOf(total)),
            dailyLogs: dailyLogs.map((grams) => exact(kilogramsOf(grams))),
          },
        }
      : { visits: sentVisits(visits, draft) }),
    ...(Object.keys(externalFactors).length === 0 ? {} : { externalFactors }),
  };
}
