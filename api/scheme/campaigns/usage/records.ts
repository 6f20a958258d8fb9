import {
  type AppError,
  brokenRuleError,
  defineRules,
  type RuleDetail,
  refuseBrokenRules,
} from "../../../platform/errors.ts";
import { decodeCursor, type RequestContext, toPage } from "../../../platform/http/index.ts";
import { changeOnce } from "../../../platform/idempotency/index.ts";
import { exactLowerBound, jsonRounded } from "../../emissions/index.ts";
import { notRegistered } from "../../registry/index.ts";
import { requireOwnCampaign, requireVisibleCampaign } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import type { UsageFrame } from "./frame-terms.ts";
import { drawUsageSurvey } from "./sample.ts";
import type { NewUsageMissing, NewUsageRecord, UsagePositionResponse, UsageSurveyResponse } from "./schemas.ts";
import { type EndedPosition, usageStore } from "./store.ts";
import { openUsagePositions, surveyStateOf, usageCohortsOf } from "./survey.ts";
import type { UsagePosition, UsageRecord } from "./tables.ts";

const broken = defineRules({
  "device-of-other-household": ["household-of-device", "Device {serial} is registered in another household."],
  "visit-not-come": ["days-have-come", "The day of the visit has not come yet."],
  "visit-too-early": ["visit-after-frame", "The devices are surveyed from {day} on."],
  "in-use-not-seen": ["seen-in-use", "A device that was not seen cannot be recorded as in use."],
  "other-needs-evidence": ["evidence-given", 'The reason "other" needs evidence: a URI.'],
  "position-recorded-already": ["position-recorded-once", "Position {position} has its record already."],
  "devices-not-surveyed-now": [
    "status-allows",
    "Campaign {campaignId} is {status}; devices are surveyed while it is drawn.",
  ],
  "position-not-drawn": ["position-drawn", "Position {position} was not drawn for the usage survey of {campaignId}."],
});

/** Offset of the earliest time zone from UTC, in milliseconds. */
const MOST_AHEAD_OF_UTC = 14 * 3_600_000;

/** Read a campaign's usage survey. @throws AppError NOT_FOUND where the campaign has none, or the actor may not see it */
export async function getUsageSurvey(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<UsageSurveyResponse> {
  const { row, frame } = await requireSurvey(deps, ctx, campaignId);
  const state = await surveyStateOf(deps, row);
  const cohorts = state?.cohorts ?? [];
  const surveys = new Map(usageCohortsOf(cohorts).map((each) => [each.age, each]));
  const boundOf = (age: number) => {
    const survey = surveys.get(age);
    return survey === undefined ? null : jsonRounded(exactLowerBound(survey, row.terms.confidence.convention));
  };
  const isDrawn = state?.isDrawn ?? false;
  return {
    campaignId,
    day: frame.day,
    root: frame.root,
    drawn: isDrawn,
    complete: isDrawn && openUsagePositions(cohorts) === 0,
    cohorts: cohorts.map((cohort) => ({ ...cohort, lowerBound: boundOf(cohort.age) })),
  };
}

/** List the drawn devices with their records; none before the draw. @throws AppError NOT_FOUND */
export async function listUsagePositions(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ items: UsagePositionResponse[]; nextCursor: string | null }> {
  const { row } = await requireSurvey(deps, ctx, campaignId);
  if (!(await drawUsageSurvey(deps, row))) return { items: [], nextCursor: null };
  const after = Number(decodeCursor(query.cursor)?.[0] ?? -1);
  const from = Number.isSafeInteger(after) ? after : -1;
  const rows = await usageStore(deps.db).positionsAfter(row.campaign, from, query.limit + 1);
  const { items, nextCursor } = toPage(rows, query.limit, (each) => [each.position.position]);
  return { items: await Promise.all(items.map((each) => serialize(deps, each))), nextCursor };
}

/**
 * Record what a surveyor found at a drawn device. A position is recorded once.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT once the position has ended or the campaign is not drawn, RULE_VIOLATION
 */
export async function recordUsage(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  input: NewUsageRecord,
): Promise<UsagePositionResponse> {
  return await endPosition(deps, ctx, { campaignId, position: input.position }, async ({ row, frame, found }) => {
    const household = await deps.registry.households.byIndex(found.household);
    const problems: RuleDetail[] = [];
    if (household?.did !== input.householdId) {
      problems.push(broken("device-of-other-household", "householdId", { serial: found.serial }));
    }
    if (Date.parse(input.date) > Math.max(deps.clock.now().getTime(), await chainTime(deps)) + MOST_AHEAD_OF_UTC) {
      problems.push(broken("visit-not-come", "date"));
    }
    if (input.date < frame.day) {
      problems.push(broken("visit-too-early", "date", { day: frame.day }));
    }
    if (input.inUse && !input.deviceSeen) {
      problems.push(broken("in-use-not-seen", "inUse"));
    }
    refuseBrokenRules(problems);
    const { position, deviceSeen, inUse, date, surveyorDid, evidence, note = null } = input;
    return {
      campaign: row.campaign,
      position,
      outcome: "surveyed",
      deviceSeen,
      inUse,
      surveyedOn: date,
      surveyorDid,
      evidence,
      reason: null,
      note,
      recordedAt: deps.clock.now(),
    };
  });
}

/**
 * End a drawn position without a survey. It counts as a device that is not in use, and it cannot be undone.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT once the position has ended or the campaign is not drawn, RULE_VIOLATION
 */
export async function markUsageMissing(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  { position, reason, evidence = [], note }: NewUsageMissing,
): Promise<UsagePositionResponse> {
  return await endPosition(deps, ctx, { campaignId, position }, async ({ row }) => {
    if (reason === "other" && evidence.length === 0) {
      refuseBrokenRules([broken("other-needs-evidence", "evidence")]);
    }
    return {
      campaign: row.campaign,
      position,
      outcome: "missing",
      deviceSeen: null,
      inUse: null,
      surveyedOn: null,
      surveyorDid: null,
      evidence,
      reason,
      note: note ?? null,
      recordedAt: deps.clock.now(),
    };
  });
}

type OpenPosition = { row: CampaignRow; frame: UsageFrame; found: UsagePosition };

/** End a drawn position that the actor may end. Evaluators may, besides those who may change the campaign. */
async function endPosition(
  deps: CampaignDeps,
  ctx: RequestContext,
  { campaignId, position }: { campaignId: string; position: number },
  toRecord: (open: OpenPosition) => Promise<UsageRecord>,
): Promise<UsagePositionResponse> {
  const { row, frame } = await requireSurvey(deps, ctx, campaignId);
  if (ctx.actor.role !== "evaluator") await requireOwnCampaign(deps, ctx, row);
  const store = usageStore(deps.db);
  await changeOnce(deps.db, ctx, async () => {
    const record = await toRecord({ row, frame, found: await requireOpenPosition(deps, row, position) });
    return async (tx) => {
      if (await store.addRecord(tx, record)) return String(position);
      throw recordedBefore(position);
    };
  });
  const ended = await store.position(row.campaign, position);
  if (ended === null) throw new Error(`Position ${position} of campaign ${campaignId} is not stored.`);
  return await serialize(deps, ended);
}

function recordedBefore(position: number): AppError {
  return brokenRuleError("CONFLICT", broken("position-recorded-already", "position", { position }));
}

async function requireSurvey(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<{ row: CampaignRow; frame: UsageFrame }> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  const { usageFrame: frame } = row.terms;
  if (frame === undefined) throw notRegistered("Usage survey of campaign", campaignId);
  return { row, frame };
}

/** Find a drawn position without a record. @throws AppError CONFLICT, RULE_VIOLATION for a position that was not drawn */
async function requireOpenPosition(deps: CampaignDeps, row: CampaignRow, position: number): Promise<UsagePosition> {
  const { campaign, campaignId, status } = row;
  if (status !== "drawn") {
    throw brokenRuleError("CONFLICT", broken("devices-not-surveyed-now", "status", { campaignId, status }));
  }
  const found = (await drawUsageSurvey(deps, row)) ? await usageStore(deps.db).position(campaign, position) : null;
  if (found === null) {
    throw brokenRuleError("RULE_VIOLATION", broken("position-not-drawn", "position", { position, campaignId }));
  }
  if (found.record !== null) throw recordedBefore(position);
  return found.position;
}

async function chainTime({ chain }: CampaignDeps): Promise<number> {
  return Number(await chain.now()) * 1000;
}

async function serialize(deps: CampaignDeps, { position, record }: EndedPosition): Promise<UsagePositionResponse> {
  const household = await deps.registry.households.byIndex(position.household);
  return {
    position: position.position,
    age: position.age,
    serial: position.serial,
    householdId: household?.did ?? null,
    status: record?.outcome ?? "open",
    record: record && {
      deviceSeen: record.deviceSeen,
      inUse: record.inUse,
      date: record.surveyedOn,
      surveyorDid: record.surveyorDid,
      reason: record.reason,
      note: record.note,
      evidence: record.evidence,
      recordedAt: record.recordedAt.toISOString(),
    },
  };
}
