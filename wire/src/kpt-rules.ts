/** Rules for a claim of a kitchen performance test (KPT): its measurement, household and campaign. */
import { isoDate } from "./chain-values.ts";
import { formatScaled } from "./exact.ts";
import type { CampaignGroup } from "./ids.ts";
import { brokenDryMassRules, brokenVisitRules, type KptFuel, type KptVisit } from "./kpt-visits.ts";

/** Circumstances that may have changed the use of fuel. An empty list states that there were none. */
export type KptFactors = {
  season?: string | undefined;
  culturalEvents?: readonly string[] | undefined;
  occupationalFactors?: readonly string[] | undefined;
};

/** The parts of a claim that the rules read. Amounts are whole grams, so that a total is compared exactly. */
export type KptMeasurement = {
  householdId: string;
  testGroup: CampaignGroup;
  /** Of a claim with visits: what follows from them for the campaign's fuel. */
  fuelMeasurements: { total: bigint; dailyLogs: readonly bigint[] };
  visits?: readonly KptVisit[] | undefined;
  /** Of a claim with visits: total and daily logs that it states next to them. */
  stated?: { total: bigint; dailyLogs: readonly bigint[] } | undefined;
  cookingSessions?: readonly { fuelKg?: bigint | undefined }[] | undefined;
  externalFactors?: KptFactors | undefined;
};

/** First and last day, inclusive, in days since 1970-01-01. `durationDays` is the duration given in the claim. */
export type KptSpan = { startDay: number; endDay: number; durationDays?: number | undefined };

/**
 * Number of daily logs for a period: one per calendar day (endDate − startDate + 1), or one per interval between two
 * weighings (endDate − startDate).
 */
export const logConventions = ["calendar-days", "interval"] as const;
export type LogConvention = (typeof logConventions)[number];

/**
 * Number of daily logs of a period, both ends included.
 *
 * @example
 * ```ts
 * import { kptDayOf, logsOfPeriod } from "@hearth/wire";
 *
 * const span = { startDay: kptDayOf("2024-02-01"), endDay: kptDayOf("2024-02-04") };
 * logsOfPeriod("calendar-days", span); // 4
 * ```
 */
export function logsOfPeriod(convention: LogConvention, { startDay, endDay }: KptSpan): number {
  return endDay - startDay + (convention === "calendar-days" ? 1 : 0);
}

/** The facts about the claim's campaign that the rules need. */
export type KptCampaign = {
  campaignId: string;
  window: KptSpan;
  logConvention: LogConvention;
  /** Daily logs that each claim must have, by the campaign's terms; absent: three or more. */
  days?: number | undefined;
  /** Of a campaign that counts dry mass: the fuels whose dry calorific value it committed. */
  dryMass?: { dryNcvOf: readonly KptFuel[] } | undefined;
  season: string | undefined;
  externalFactors: KptFactors | undefined;
  /** The household's position in the campaign; null when it is in neither frame. */
  member: { group: CampaignGroup; status: "sampled" | "replaced" | "missing" | "reserve" } | null;
  /** True: the claim names no campaign, and its household is in no open sample; this open campaign is the closest match. */
  isNearest: boolean;
  isDrawn: boolean;
  /** Whether the reference group has verified claims. */
  hasReferenceClaims: boolean;
  /** Whether the other group has verified claims, and whether one of them has a day in common with this one. */
  otherGroup: { hasClaims: boolean; sharesDay: boolean };
};

/** All facts that a claim is checked against. */
export type KptFacts = {
  /** Null: neither the claim nor its campaign gives a period. */
  span: KptSpan | null;
  /** Null: there is no campaign that the claim could belong to. */
  campaign: KptCampaign | null;
  /** The current day in the time zone where it begins first, in days since 1970-01-01. */
  today: number;
};

/** A broken rule: its English message, and `reason` and `values` to translate it. */
export type BrokenKptRule = {
  path: string;
  rule: string;
  message: string;
  reason: KptReason;
  values: Record<string, string | number>;
};

/** Message of each reason; the names of its values are in braces. */
export const kptMessages = {
  tooFewLogs: "There must be at least {least} daily logs.",
  periodReversed: "The period ends before it starts.",
  periodShort: "The period lasts {days} days; at least {least} are needed.",
  durationWrong: "durationDays must be at least {least} and be endDate − startDate or one more.",
  logsDoNotFit: "The period lasts {days} days, so {fewer} or {days} daily logs belong to it, not {logs}.",
  logsNotOfCampaign:
    "Campaign {campaignId} counts one daily log per {unit}: this period has {expected} of them, not {logs}.",
  daysNotOfCampaign: "Campaign {campaignId} measures each household for {expected} daily logs, not {logs}.",
  dayNotCome: "The period has days that have not come yet.",
  totalDiffers: "The total is {total} kg; the daily logs add up to {sum} kg.",
  visitDayTwice: "Day {day} has two visits.",
  visitDayOutside: "Day {day} is not in the period, whose last day is {lastDay}; the first day is 0.",
  fuelTwice: "A visit can weigh {fuel} only once.",
  endTooLarge: "There is more {fuel} at the end than at the start plus what was added.",
  moistureOutside: "A reading of moisture must be above 0 % and below 100 %.",
  nothingBurnt: "No fuel was used between the visits.",
  visitsMissing: "Campaign {campaignId} counts dry mass: the claim needs visits, with the moisture of each solid fuel.",
  moistureMissing: "Campaign {campaignId} counts dry mass: the moisture of {fuel} is missing.",
  dryNcvMissing: "Campaign {campaignId} committed no calorific value of dry {fuel}, so it cannot be counted.",
  measuredTwice: "Either fuelMeasurements or visits is expected.",
  logNotDerived: "From the visits follow {derived} kg of dry mass for log {log}, not {stated} kg.",
  logsNotDerived: "From the visits follow {derived} daily logs, not {stated}.",
  totalNotDerived: "From the visits follow {derived} kg of dry mass in all, not {stated} kg.",
  notPositive: "A measured value must be more than 0.",
  seasonMissing: "Neither claim nor campaign names the season.",
  factorsMissing: "Neither claim nor campaign tells cultural or occupational factors; an empty list is an answer.",
  noOpenSample: "{householdId} is in no drawn sample of an open campaign.",
  notDrawn: "The sample of campaign {campaignId} has not been drawn yet.",
  notInFrame: "{householdId} is in neither frame of campaign {campaignId}.",
  otherGroup: "{householdId} belongs to the {group} group of campaign {campaignId}.",
  wasReplaced: "{householdId} was replaced in campaign {campaignId}.",
  isMissing: "{householdId} is marked as missing in campaign {campaignId}, which is final.",
  notInSample: "{householdId} is not in the drawn sample of campaign {campaignId}.",
  noReference: "Campaign {campaignId} has no verified claim of the reference group yet.",
  outsideCampaign: "The period is outside the period of campaign {campaignId}.",
  outsideEveryCampaign: "The period is outside the period of every open campaign.",
  noSharedDay: "The period shares no day with the periods of the {group} group.",
} as const;

export type KptReason = keyof typeof kptMessages;

/**
 * The code by which the API names a reason in `details`.
 * @example
 * ```ts
 * import { codeOfKptReason } from "@hearth/wire";
 *
 * codeOfKptReason("noOpenSample"); // "no-open-sample"
 * ```
 */
export function codeOfKptReason(reason: KptReason): string {
  return reason.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

type Rule = (claim: KptMeasurement, facts: KptFacts) => BrokenKptRule[];

const minDays = 3;
const gramDecimals = 3;
const dayMs = 86_400_000;

/**
 * Check a claim against every rule.
 *
 * @returns every broken rule; empty when the claim may be filed
 *
 * @example
 * ```ts
 * import { brokenKptRules, kptDayOf, type KptMeasurement } from "@hearth/wire";
 *
 * const measurement: KptMeasurement = {
 *   householdId: "did:ixo:household/7",
 *   testGroup: "reference",
 *   fuelMeasurements: { total: 4_500n, dailyLogs: [1_500n, 1_500n, 1_500n] },
 * };
 * const span = { startDay: kptDayOf("2024-02-01"), endDay: kptDayOf("2024-02-03") };
 * const facts = { span, campaign: null, today: kptDayOf("2024-03-01") };
 * for (const { path, message } of brokenKptRules(measurement, facts)) console.log(path, message);
 * ```
 */
export function brokenKptRules(claim: KptMeasurement, facts: KptFacts): BrokenKptRule[] {
  return rules.flatMap((rule) => rule(claim, facts));
}

/**
 * Convert a date `YYYY-MM-DD` to days since 1970-01-01; NaN when it is not a date.
 *
 * @example
 * ```ts
 * import { kptDayOf } from "@hearth/wire";
 *
 * kptDayOf("2024-02-01"); // 19754
 * ```
 */
export function kptDayOf(date: string): number {
  return Date.parse(date) / dayMs;
}

function broken(rule: string, path: string, reason: KptReason, values: BrokenKptRule["values"] = {}): BrokenKptRule {
  const message = kptMessages[reason].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  return { path, rule, message, reason, values };
}

/**
 * At least 3 logs over at least 3 days. The duration is endDate − startDate or one more; the number of logs follows the
 * campaign's convention, and is the one that its terms fix. Without a campaign, both numbers of logs are accepted.
 */
const dailySpan: Rule = ({ fuelMeasurements: { dailyLogs }, visits }, { span, campaign }) => {
  const logsPath = visits === undefined ? "fuelMeasurements.dailyLogs" : "visits";
  const found: BrokenKptRule[] = [];
  const breaks = (path: string, reason: KptReason, values: BrokenKptRule["values"] = {}) =>
    found.push(broken("daily-span", path, reason, values));
  const logs = dailyLogs.length;
  const least = minDays;
  if (logs < minDays) breaks(logsPath, "tooFewLogs", { least });
  if (span === null) return found;
  const nights = span.endDay - span.startDay;
  const days = nights + 1;
  const fits = (count: number) => count === nights || count === days;
  if (nights < 0) breaks("testPeriod", "periodReversed");
  else if (days < minDays) breaks("testPeriod", "periodShort", { days, least });
  const { durationDays } = span;
  if (durationDays !== undefined && (durationDays < minDays || !fits(durationDays))) {
    breaks("testPeriod.durationDays", "durationWrong", { least });
  }
  if (nights >= 0 && logs >= minDays && !fits(logs)) {
    breaks(logsPath, "logsDoNotFit", { days, fewer: nights, logs });
  } else if (nights >= 0 && logs >= minDays && campaign !== null && !campaign.isNearest) {
    const { campaignId, logConvention } = campaign;
    const expected = logsOfPeriod(logConvention, span);
    const unit = logConvention === "calendar-days" ? "calendar day" : "interval between two days";
    if (logs !== expected) {
      breaks(logsPath, "logsNotOfCampaign", { campaignId, unit, expected, logs });
    }
  }
  if (campaign?.days !== undefined && !campaign.isNearest && logs >= minDays && logs !== campaign.days) {
    breaks(logsPath, "daysNotOfCampaign", { campaignId: campaign.campaignId, expected: campaign.days, logs });
  }
  return found;
};

/** A day in the future cannot have been measured. */
const daysHaveCome: Rule = (_claim, { span, today }) => {
  if (span === null || Math.max(span.startDay, span.endDay) <= today) return [];
  return [broken("days-have-come", "testPeriod", "dayNotCome")];
};

const totalEqualsSum: Rule = ({ fuelMeasurements: { total, dailyLogs } }) => {
  const sum = dailyLogs.reduce((all, log) => all + log, 0n);
  if (sum === total) return [];
  const values = { total: formatScaled(total, gramDecimals), sum: formatScaled(sum, gramDecimals) };
  return [broken("total-equals-sum", "fuelMeasurements.total", "totalDiffers", values)];
};

const positiveValues: Rule = ({ fuelMeasurements, visits, cookingSessions = [] }) => {
  const { total, dailyLogs } = fuelMeasurements;
  // With visits, a household may use none of a fuel on a day.
  const logs: [path: string, grams: bigint][] =
    visits === undefined
      ? [
          ["fuelMeasurements.total", total],
          ...dailyLogs.map((log, i): [string, bigint] => [`fuelMeasurements.dailyLogs.${i}`, log]),
        ]
      : [];
  const values: [path: string, grams: bigint | undefined][] = [
    ...logs,
    ...cookingSessions.map(({ fuelKg }, i): [string, bigint | undefined] => [`cookingSessions.${i}.fuelKg`, fuelKg]),
  ];
  return values.flatMap(([path, grams]) =>
    grams !== undefined && grams <= 0n ? [broken("positive-values", path, "notPositive")] : [],
  );
};

/** Weighings, days and moisture of visits. */
const visitsAddUp: Rule = ({ visits }, { span }) => {
  if (visits === undefined) return [];
  const lastDay = span === null ? null : span.endDay - span.startDay;
  return brokenVisitRules(visits, lastDay).map(({ rule, path, reason, values }) => broken(rule, path, reason, values));
};

/** A campaign that counts dry mass needs visits, moisture, and the calorific value of each dry fuel. */
const dryMassKnown: Rule = ({ visits }, { campaign }) => {
  if (campaign?.dryMass === undefined || campaign.isNearest) return [];
  const { campaignId, dryMass } = campaign;
  if (visits === undefined) return [broken("visits-given", "visits", "visitsMissing", { campaignId })];
  return brokenDryMassRules(visits, { campaignId, ...dryMass }).map(({ rule, path, reason, values }) =>
    broken(rule, path, reason, values),
  );
};

/** Total and logs that are stated next to visits are the dry masses that follow from them. No other campaign takes both forms. */
const statedAsDerived: Rule = ({ stated, fuelMeasurements: derived }, { campaign }) => {
  if (stated === undefined) return [];
  if (campaign?.dryMass === undefined || campaign.isNearest) {
    return [broken("measured-once", "fuelMeasurements", "measuredTwice")];
  }
  const rule = "derived-from-visits";
  const path = "fuelMeasurements.dailyLogs";
  const kilograms = (grams: bigint) => formatScaled(grams, gramDecimals);
  const found: BrokenKptRule[] = [];
  if (stated.dailyLogs.length !== derived.dailyLogs.length) {
    const values = { derived: derived.dailyLogs.length, stated: stated.dailyLogs.length };
    found.push(broken(rule, path, "logsNotDerived", values));
  } else {
    for (const [i, log] of stated.dailyLogs.entries()) {
      const own = derived.dailyLogs[i] ?? 0n;
      if (log === own) continue;
      const values = { log: i + 1, derived: kilograms(own), stated: kilograms(log) };
      found.push(broken(rule, `${path}.${i}`, "logNotDerived", values));
    }
  }
  if (stated.total !== derived.total) {
    const values = { derived: kilograms(derived.total), stated: kilograms(stated.total) };
    found.push(broken(rule, "fuelMeasurements.total", "totalNotDerived", values));
  }
  return found;
};

/** The season and a list of cultural or occupational factors are given, in the claim or its campaign. */
const factorsDocumented: Rule = ({ externalFactors }, { campaign }) => {
  const rule = "factors-documented";
  const sources = [externalFactors, campaign?.externalFactors];
  const found: BrokenKptRule[] = [];
  if (campaign?.season === undefined && sources.every((source) => source?.season === undefined)) {
    found.push(broken(rule, "externalFactors.season", "seasonMissing"));
  }
  const hasList = (source: KptFactors | undefined) =>
    source?.culturalEvents !== undefined || source?.occupationalFactors !== undefined;
  if (!sources.some(hasList)) found.push(broken(rule, "externalFactors", "factorsMissing"));
  return found;
};

const randomSelectionVerified: Rule = ({ householdId, testGroup }, { campaign }) => {
  const breaks = (reason: KptReason, values: BrokenKptRule["values"] = {}) => [
    broken("random-selection-verified", "householdId", reason, { householdId, ...values }),
  ];
  if (campaign === null || campaign.isNearest) return breaks("noOpenSample");
  const { campaignId, member, isDrawn } = campaign;
  if (!isDrawn) return breaks("notDrawn", { campaignId });
  if (member === null) return breaks("notInFrame", { campaignId });
  if (member.group !== testGroup) return breaks("otherGroup", { group: member.group, campaignId });
  if (member.status === "replaced") return breaks("wasReplaced", { campaignId });
  if (member.status === "missing") return breaks("isMissing", { campaignId });
  return member.status === "reserve" ? breaks("notInSample", { campaignId }) : [];
};

const controlGroupPresent: Rule = ({ testGroup }, { campaign }) => {
  if (campaign === null || testGroup === "reference" || campaign.hasReferenceClaims) return [];
  return [broken("control-group-present", "testGroup", "noReference", { campaignId: campaign.campaignId })];
};

const timingAligned: Rule = ({ testGroup }, { span, campaign }) => {
  if (campaign === null || span === null) return [];
  const { campaignId, window, otherGroup, isNearest } = campaign;
  const breaks = (reason: KptReason, values: BrokenKptRule["values"] = {}) =>
    broken("timing-aligned", "testPeriod", reason, values);
  const found: BrokenKptRule[] = [];
  // Either day may be outside, whichever comes first in the claim.
  const [first, last] = [Math.min(span.startDay, span.endDay), Math.max(span.startDay, span.endDay)];
  if (first < window.startDay || last > window.endDay) {
    const dates = { startDate: isoDate(window.startDay), endDate: isoDate(window.endDay) };
    found.push(isNearest ? breaks("outsideEveryCampaign") : breaks("outsideCampaign", { campaignId, ...dates }));
  }
  if (otherGroup.hasClaims && !otherGroup.sharesDay) {
    found.push(breaks("noSharedDay", { group: testGroup === "reference" ? "intervention" : "reference" }));
  }
  return found;
};

const rules: Rule[] = [
  dailySpan,
  daysHaveCome,
  totalEqualsSum,
  positiveValues,
  visitsAddUp,
  dryMassKnown,
  statedAsDerived,
  factorsDocumented,
  randomSelectionVerified,
  controlGroupPresent,
  timingAligned,
];
