import { exact, formatScaled } from "../../../../wire/src/exact.ts";
import type { CampaignGroup } from "../../../../wire/src/ids.ts";
import type { KptMeasurement } from "../../../../wire/src/kpt-rules.ts";
import { parseScaled } from "../../numbers/scaled.ts";

/** The texts of the form's fields. */
export type KptDraft = {
  testGroup: CampaignGroup;
  householdId: string;
  startDate: string;
  endDate: string;
  /** Kilograms, one text for each day. */
  logs: string[];
  total: string;
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
  season: "",
  culturalEvents: [],
  occupationalFactors: [],
  nothingSpecial: false,
};

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

/** The fields that are not numbers: `total`, or the day's index. */
export function unreadable({ logs, total }: KptDraft): (number | "total")[] {
  const days = logs.flatMap((text, day) => (gramsOf(text) === undefined ? [day] : []));
  return gramsOf(total) === undefined ? [...days, "total"] : days;
}

/** Convert a draft to the form that the rules check. A field that is not a number counts as 0; `unreadable` lists it. */
export function measurementOf(draft: KptDraft): KptMeasurement {
  return {
    testGroup: draft.testGroup,
    householdId: draft.householdId,
    fuelMeasurements: {
      total: gramsOf(draft.total) ?? 0n,
      dailyLogs: draft.logs.map((text) => gramsOf(text) ?? 0n),
    },
    externalFactors: factorsOf(draft),
  };
}

function factorsOf({ season, culturalEvents, occupationalFactors, nothingSpecial }: KptDraft) {
  return {
    ...(season.trim() === "" ? {} : { season: season.trim() }),
    ...(culturalEvents.length > 0 || nothingSpecial ? { culturalEvents } : {}),
    ...(occupationalFactors.length > 0 || nothingSpecial ? { occupationalFactors } : {}),
  };
}

/** Make the body of POST /v1/claims; kilograms keep the typed digits. */
export function claimOf(campaignId: string, draft: KptDraft) {
  const { startDate, endDate, testGroup, householdId } = draft;
  const { total, dailyLogs } = measurementOf(draft).fuelMeasurements;
  const externalFactors = factorsOf(draft);
  return {
    type: "KPTClaim" as const,
    campaignId,
    householdId,
    testGroup,
    ...(startDate === "" || endDate === "" ? {} : { testPeriod: { startDate, endDate } }),
    fuelMeasurements: {
      total: exact(kilogramsOf(total)),
      dailyLogs: dailyLogs.map((grams) => exact(kilogramsOf(grams))),
    },
    ...(Object.keys(externalFactors).length === 0 ? {} : { externalFactors }),
  };
}
