import { formatScaled } from "../../numbers/scaled.ts";

export type Group = "reference" | "intervention";

/** What stands in the form. Grams are integers, so that a total is compared exactly; dates are `YYYY-MM-DD`. */
export type KptEntry = {
  householdId: string;
  testGroup: Group;
  testPeriod?: { startDate: string; endDate: string; durationDays?: number | undefined } | undefined;
  totalGrams: bigint;
  dailyLogs: readonly bigint[];
  season?: string | undefined;
  culturalEvents?: readonly string[] | undefined;
  occupationalFactors?: readonly string[] | undefined;
};

type Factors = { season?: string | undefined; culturalEvents?: unknown; occupationalFactors?: unknown };

/** What the campaign says, as far as the form can know it; null: no campaign was chosen yet. */
export type CampaignFacts = {
  campaignId: string;
  isDrawn: boolean;
  testPeriod: { startDate: string; endDate: string };
  season: string | null;
  externalFactors: Factors | null;
  samples: Record<Group, readonly string[]>;
  replaced: Record<Group, readonly string[]>;
  hasReferenceClaims: boolean;
};

/** A rule of the scheme that the entry breaks: `reason` names the text, `values` fill it. */
export type BrokenRule = { path: string; rule: string; reason: KptReason; values: Record<string, string | number> };

export type KptReason =
  | "tooFewLogs"
  | "periodReversed"
  | "periodShort"
  | "durationWrong"
  | "logsDoNotFit"
  | "totalDiffers"
  | "notPositive"
  | "seasonMissing"
  | "factorsMissing"
  | "notDrawn"
  | "notInSample"
  | "otherGroup"
  | "wasReplaced"
  | "noReference"
  | "outsideCampaign";

const MIN_DAYS = 3;
const dayMs = 86_400_000;

/**
 * Every rule that the API will name, as far as it can be told before sending: the API judges in the end, and also what other
 * claims have to do with this one. Empty: nothing that is known here stands in the way.
 */
export function brokenKptRules(entry: KptEntry, campaign: CampaignFacts | null): BrokenRule[] {
  return [
    ...dailySpan(entry, campaign),
    ...totalEqualsSum(entry),
    ...positiveValues(entry),
    ...factorsDocumented(entry, campaign),
    ...randomSelection(entry, campaign),
    ...controlGroup(entry, campaign),
    ...timing(entry, campaign),
  ];
}

function broken(path: string, rule: string, reason: KptReason, values: BrokenRule["values"] = {}): BrokenRule {
  return { path, rule, reason, values };
}

type Span = { start: number; end: number; durationDays: number | undefined };

function spanOf({ testPeriod }: KptEntry, campaign: CampaignFacts | null): Span | null {
  const period = testPeriod ?? campaign?.testPeriod;
  if (period === undefined) return null;
  const [start, end] = [Date.parse(period.startDate), Date.parse(period.endDate)];
  if (Number.isNaN(start) || Number.isNaN(end)) return null;
  return { start: start / dayMs, end: end / dayMs, durationDays: testPeriod?.durationDays };
}

function dailySpan(entry: KptEntry, campaign: CampaignFacts | null): BrokenRule[] {
  const logs = entry.dailyLogs.length;
  const tooFew =
    logs < MIN_DAYS ? [broken("fuelMeasurements.dailyLogs", "daily-span", "tooFewLogs", { least: MIN_DAYS })] : [];
  const span = spanOf(entry, campaign);
  if (span === null) return tooFew;
  const nights = span.end - span.start;
  const fits = (days: number) => days === nights || days === nights + 1;
  const found = [...tooFew];
  if (nights < 0) found.push(broken("testPeriod", "daily-span", "periodReversed"));
  else if (nights + 1 < MIN_DAYS)
    found.push(broken("testPeriod", "daily-span", "periodShort", { days: nights + 1, least: MIN_DAYS }));
  const { durationDays } = span;
  if (durationDays !== undefined && (durationDays < MIN_DAYS || !fits(durationDays)))
    found.push(broken("testPeriod.durationDays", "daily-span", "durationWrong", { least: MIN_DAYS }));
  if (nights >= 0 && logs >= MIN_DAYS && !fits(logs)) {
    const values = { days: nights + 1, fewer: nights, logs };
    found.push(broken("fuelMeasurements.dailyLogs", "daily-span", "logsDoNotFit", values));
  }
  return found;
}

function totalEqualsSum({ totalGrams, dailyLogs }: KptEntry): BrokenRule[] {
  const sum = dailyLogs.reduce((all, log) => all + log, 0n);
  if (sum === totalGrams) return [];
  const values = { total: formatScaled(totalGrams, 3), sum: formatScaled(sum, 3) };
  return [broken("fuelMeasurements.total", "total-equals-sum", "totalDiffers", values)];
}

function positiveValues({ totalGrams, dailyLogs }: KptEntry): BrokenRule[] {
  const values: [string, bigint][] = [
    ["fuelMeasurements.total", totalGrams],
    ...dailyLogs.map((log, i): [string, bigint] => [`fuelMeasurements.dailyLogs.${i}`, log]),
  ];
  return values.flatMap(([path, grams]) => (grams > 0n ? [] : [broken(path, "positive-values", "notPositive")]));
}

function factorsDocumented(entry: KptEntry, campaign: CampaignFacts | null): BrokenRule[] {
  const sources: (Factors | null | undefined)[] = [entry, campaign?.externalFactors];
  const found: BrokenRule[] = [];
  const hasSeason = (campaign?.season ?? undefined) !== undefined || sources.some((each) => each?.season !== undefined);
  if (!hasSeason) found.push(broken("externalFactors.season", "factors-documented", "seasonMissing"));
  const says = (source: Factors | null | undefined) =>
    source?.culturalEvents !== undefined || source?.occupationalFactors !== undefined;
  if (!sources.some(says)) found.push(broken("externalFactors", "factors-documented", "factorsMissing"));
  return found;
}

function randomSelection({ householdId, testGroup }: KptEntry, campaign: CampaignFacts | null): BrokenRule[] {
  if (campaign === null) return [];
  const { campaignId, isDrawn, samples, replaced } = campaign;
  const breaks = (reason: KptReason, more: BrokenRule["values"] = {}) => [
    broken("householdId", "random-selection-verified", reason, { householdId, campaignId, ...more }),
  ];
  if (!isDrawn) return breaks("notDrawn");
  const other: Group = testGroup === "reference" ? "intervention" : "reference";
  const isOf = (group: Group) => samples[group].includes(householdId) || replaced[group].includes(householdId);
  if (isOf(other) && !isOf(testGroup)) return breaks("otherGroup", { group: other });
  if (replaced[testGroup].includes(householdId)) return breaks("wasReplaced");
  return samples[testGroup].includes(householdId) ? [] : breaks("notInSample");
}

function controlGroup({ testGroup }: KptEntry, campaign: CampaignFacts | null): BrokenRule[] {
  if (campaign === null || testGroup === "reference" || campaign.hasReferenceClaims) return [];
  return [broken("testGroup", "control-group-present", "noReference", { campaignId: campaign.campaignId })];
}

function timing(entry: KptEntry, campaign: CampaignFacts | null): BrokenRule[] {
  const span = spanOf(entry, campaign);
  if (campaign === null || span === null) return [];
  const { startDate, endDate } = campaign.testPeriod;
  // Either day may lie outside, whichever the claim puts first.
  const [first, last] = [Math.min(span.start, span.end), Math.max(span.start, span.end)];
  const isInside = first >= Date.parse(startDate) / dayMs && last <= Date.parse(endDate) / dayMs;
  if (isInside) return [];
  return [broken("testPeriod", "timing-aligned", "outsideCampaign", { startDate, endDate })];
}
