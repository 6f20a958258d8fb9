import { exact } from "../../api/numbers.ts";
import { formatScaled, parseScaled } from "../../numbers/scaled.ts";
import type { Group, KptEntry } from "./kpt-rules.ts";

/** What stands in the form's fields, as typed. */
export type KptDraft = {
  testGroup: Group;
  householdId: string;
  startDate: string;
  endDate: string;
  /** Kilograms, one text for each day. */
  logs: string[];
  total: string;
  season: string;
  culturalEvents: string[];
  occupationalFactors: string[];
  /** True: an empty list means that there was nothing, rather than that nobody said. */
  nothingSpecial: boolean;
};

export const blankDraft: KptDraft = {
  testGroup: "reference",
  householdId: "",
  startDate: "",
  endDate: "",
  logs: ["", "", ""],
  total: "",
  season: "",
  culturalEvents: [],
  occupationalFactors: [],
  nothingSpecial: false,
};

const GRAM_DECIMALS = 3;

/** Grams of a text in kilograms; undefined when it is no number with at most 3 decimals. */
export function gramsOf(text: string): bigint | undefined {
  return parseScaled(text, GRAM_DECIMALS);
}

export function kilogramsOf(grams: bigint): string {
  return formatScaled(grams, GRAM_DECIMALS);
}

/** The sum of the days that can be read. */
export function sumOf(logs: readonly string[]): bigint {
  return logs.reduce((sum, text) => sum + (gramsOf(text) ?? 0n), 0n);
}

/** Which fields hold no number: `total`, or the day's place. */
export function unreadable({ logs, total }: KptDraft): (number | "total")[] {
  const days = logs.flatMap((text, day) => (gramsOf(text) === undefined ? [day] : []));
  return gramsOf(total) === undefined ? [...days, "total"] : days;
}

/** The entry that the rules judge. What cannot be read counts as 0, and is told apart by `unreadable`. */
export function entryOf(draft: KptDraft): KptEntry {
  const { testGroup, householdId, startDate, endDate, season } = draft;
  return {
    testGroup,
    householdId,
    ...(startDate === "" || endDate === "" ? {} : { testPeriod: { startDate, endDate } }),
    totalGrams: gramsOf(draft.total) ?? 0n,
    dailyLogs: draft.logs.map((text) => gramsOf(text) ?? 0n),
    ...(season.trim() === "" ? {} : { season: season.trim() }),
    ...factorsOf(draft),
  };
}

function factorsOf({ culturalEvents, occupationalFactors, nothingSpecial }: KptDraft) {
  return {
    ...(culturalEvents.length > 0 || nothingSpecial ? { culturalEvents } : {}),
    ...(occupationalFactors.length > 0 || nothingSpecial ? { occupationalFactors } : {}),
  };
}

/** The body of POST /v1/claims; kilograms keep the digits that were typed. */
export function claimOf(campaignId: string, draft: KptDraft) {
  const { testGroup, householdId, testPeriod, totalGrams, dailyLogs, season } = entryOf(draft);
  const externalFactors = { ...(season === undefined ? {} : { season }), ...factorsOf(draft) };
  return {
    type: "KPTClaim",
    campaignId,
    householdId,
    testGroup,
    ...(testPeriod === undefined ? {} : { testPeriod }),
    fuelMeasurements: {
      total: exact(kilogramsOf(totalGrams)),
      dailyLogs: dailyLogs.map((grams) => exact(kilogramsOf(grams))),
    },
    ...(Object.keys(externalFactors).length === 0 ? {} : { externalFactors }),
  };
}
