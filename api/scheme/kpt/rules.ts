import type { RuleDetail } from "../../platform/errors.ts";
import { formatScaled } from "../../platform/http/numbers.ts";
import type { DocumentedFactors } from "../campaigns/factors.ts";
import type { KptClaimRequest } from "./schemas.ts";

export type Group = KptClaimRequest["testGroup"];

/** First and last day, inclusive, in days since 1970-01-01. `durationDays` is what the claim says of it. */
export type Span = { startDay: number; endDay: number; durationDays?: number | undefined };

/** What a claim's campaign says, as far as the rules ask. */
export type CampaignFacts = {
  campaignId: string;
  window: { startDay: number; endDay: number };
  season: string | undefined;
  externalFactors: DocumentedFactors | undefined;
  /** The household's place in the campaign; null when it is in no frame. */
  member: { group: Group; status: "sampled" | "replaced" | "reserve" } | null;
  /** The claim names no campaign, and its household is in no open sample: of the open campaigns this one suits it best. */
  isNearest: boolean;
  isDrawn: boolean;
  /** Verified claims of the reference group. */
  hasReferenceClaims: boolean;
  /** Verified claims of the group that the claim is not of, and whether one of them shares a day with it. */
  otherGroup: { hasClaims: boolean; sharesDay: boolean };
};

/**
 * Everything that a claim is checked against. No span: neither the claim nor a campaign says when it was measured. `today` is the
 * day that it is where the day begins first.
 */
export type KptFacts = { span: Span | null; campaign: CampaignFacts | null; today: number };

type Rule = (claim: KptClaimRequest, facts: KptFacts) => RuleDetail[];

const MIN_DAYS = 3;

/** Every rule of the scheme that the claim breaks, each with its own words. Empty: the claim may be filed. */
export function brokenKptRules(claim: KptClaimRequest, facts: KptFacts): RuleDetail[] {
  return rules.flatMap((rule) => rule(claim, facts));
}

/** At least 3 logs over at least 3 days; duration and number of logs are endDate − startDate or one more. */
const dailySpan: Rule = ({ fuelMeasurements: { dailyLogs } }, { span }) => {
  const rule = "daily-span";
  const broken: RuleDetail[] = [];
  const breaks = (path: string, message: string) => broken.push({ path, rule, message });
  const logs = dailyLogs.length;
  if (logs < MIN_DAYS) breaks("fuelMeasurements.dailyLogs", `There must be at least ${MIN_DAYS} daily logs.`);
  if (span === null) return broken;
  const nights = span.endDay - span.startDay;
  const fits = (days: number) => days === nights || days === nights + 1;
  const lasts = `The period lasts ${nights + 1} days`;
  if (nights < 0) breaks("testPeriod", "The period ends before it starts.");
  else if (nights + 1 < MIN_DAYS) breaks("testPeriod", `${lasts}; at least ${MIN_DAYS} are needed.`);
  const { durationDays } = span;
  if (durationDays !== undefined && (durationDays < MIN_DAYS || !fits(durationDays))) {
    const message = `durationDays must be at least ${MIN_DAYS} and be endDate − startDate or one more.`;
    breaks("testPeriod.durationDays", message);
  }
  if (nights >= 0 && logs >= MIN_DAYS && !fits(logs)) {
    breaks(
      "fuelMeasurements.dailyLogs",
      `${lasts}, so ${nights} or ${nights + 1} daily logs belong to it, not ${logs}.`,
    );
  }
  return broken;
};

/** A day that has not come cannot have been measured: such a claim is made up, whatever it says. */
const daysHaveCome: Rule = (_claim, { span, today }) => {
  if (span === null || Math.max(span.startDay, span.endDay) <= today) return [];
  const message = "The period has days that have not come yet.";
  return [{ path: "testPeriod", rule: "days-have-come", message }];
};

const totalEqualsSum: Rule = ({ fuelMeasurements: { total, dailyLogs } }) => {
  const sum = dailyLogs.reduce((all, log) => all + log, 0n);
  if (sum === total) return [];
  const message = `The total is ${formatScaled(total, 3)} kg; the daily logs add up to ${formatScaled(sum, 3)} kg.`;
  return [{ path: "fuelMeasurements.total", rule: "total-equals-sum", message }];
};

const positiveValues: Rule = ({ fuelMeasurements, cookingSessions = [] }) => {
  const { total, dailyLogs } = fuelMeasurements;
  const values: [path: string, grams: bigint | undefined][] = [
    ["fuelMeasurements.total", total],
    ...dailyLogs.map((log, i): [string, bigint] => [`fuelMeasurements.dailyLogs.${i}`, log]),
    ...cookingSessions.map(({ fuelKg }, i): [string, bigint | undefined] => [`cookingSessions.${i}.fuelKg`, fuelKg]),
  ];
  const message = "A measured value must be more than 0.";
  return values.flatMap(([path, grams]) =>
    grams !== undefined && grams <= 0n ? [{ path, rule: "positive-values", message }] : [],
  );
};

/** The season, and a list of cultural or occupational factors (an empty one says: none), in the claim or its campaign. */
const factorsDocumented: Rule = ({ externalFactors }, { campaign }) => {
  const sources = [externalFactors, campaign?.externalFactors];
  const rule = "factors-documented";
  const broken: RuleDetail[] = [];
  if (campaign?.season === undefined && sources.every((source) => source?.season === undefined)) {
    broken.push({ path: "externalFactors.season", rule, message: "Neither claim nor campaign names the season." });
  }
  const says = (source: DocumentedFactors | undefined) =>
    source?.culturalEvents !== undefined || source?.occupationalFactors !== undefined;
  if (!sources.some(says)) {
    const message = "Neither claim nor campaign tells cultural or occupational factors; an empty list is an answer.";
    broken.push({ path: "externalFactors", rule, message });
  }
  return broken;
};

const randomSelectionVerified: Rule = ({ householdId, testGroup }, { campaign }) => {
  const path = "householdId";
  const breaks = (message: string) => [{ path, rule: "random-selection-verified", message }];
  if (campaign === null || campaign.isNearest)
    return breaks(`${householdId} is in no drawn sample of an open campaign.`);
  const { campaignId, member, isDrawn } = campaign;
  if (!isDrawn) return breaks(`The sample of campaign ${campaignId} has not been drawn yet.`);
  if (member === null) return breaks(`${householdId} is in neither frame of campaign ${campaignId}.`);
  if (member.group !== testGroup) {
    return breaks(`${householdId} belongs to the ${member.group} group of campaign ${campaignId}.`);
  }
  if (member.status === "replaced") return breaks(`${householdId} was replaced in campaign ${campaignId}.`);
  if (member.status === "reserve")
    return breaks(`${householdId} is not in the drawn sample of campaign ${campaignId}.`);
  return [];
};

const controlGroupPresent: Rule = ({ testGroup }, { campaign }) => {
  if (campaign === null || testGroup === "reference" || campaign.hasReferenceClaims) return [];
  const message = `Campaign ${campaign.campaignId} has no verified claim of the reference group yet.`;
  return [{ path: "testGroup", rule: "control-group-present", message }];
};

const timingAligned: Rule = ({ testGroup }, { span, campaign }) => {
  if (campaign === null || span === null) return [];
  const { campaignId, window, otherGroup, isNearest } = campaign;
  const breaks = (message: string): RuleDetail => ({ path: "testPeriod", rule: "timing-aligned", message });
  const broken: RuleDetail[] = [];
  // Either day may lie outside, whichever the claim puts first.
  const [first, last] = [Math.min(span.startDay, span.endDay), Math.max(span.startDay, span.endDay)];
  if (first < window.startDay || last > window.endDay) {
    const outside = isNearest ? "that of every open campaign" : `that of campaign ${campaignId}`;
    broken.push(breaks(`The period lies outside ${outside}.`));
  }
  if (otherGroup.hasClaims && !otherGroup.sharesDay) {
    const other = testGroup === "reference" ? "intervention" : "reference";
    broken.push(breaks(`The period shares no day with those of the ${other} group.`));
  }
  return broken;
};

const rules: Rule[] = [
  dailySpan,
  daysHaveCome,
  totalEqualsSum,
  positiveValues,
  factorsDocumented,
  randomSelectionVerified,
  controlGroupPresent,
  timingAligned,
];
