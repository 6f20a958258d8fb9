import type { Hex } from "viem";
import type { KptPeopleFed } from "../../../../wire/src/kpt-visits.ts";
import { todayOf } from "../../../platform/chain/index.ts";
import {
  type CampaignInput,
  type DeviceCount,
  decimal,
  type FlagRule,
  type FuelId,
  flagRules,
  type HouseholdMembers,
  type LeftOut,
} from "../../emissions/index.ts";
import type { CampaignDeps } from "../deps.ts";
import { type Group, groups } from "../groups.ts";
import type { CampaignRow, CampaignStatus } from "../model.ts";
import { periodOf, type SamplingTerms } from "../sampling/terms.ts";
import { isDrawnByTwo } from "../service-accounts.ts";
import { discardedByOf, siblingsOf } from "../siblings.ts";
import type { Confidence } from "../terms/terms.ts";
import type { UsageFrame } from "../usage/frame-terms.ts";
import type { EndedPosition } from "../usage/store.ts";
import { type SurveyedCohort, surveyStateOf } from "../usage/survey.ts";
import type { BeforeDraw } from "./flags/before-draw.ts";
import { type RemeasuredPosition, remeasuredOf } from "./flags/chosen-values.ts";
import { readSharedEvidence } from "./flags/evidence-uses.ts";
import { type PlanRecords, readPlanRecords } from "./flags/plan-records.ts";
import type { EvidenceElsewhere, SharedEvidence } from "./flags/shared-evidence.ts";
import { leftOutOf } from "./flags/small-frames.ts";
import { sharedSurveyEvidence } from "./flags/survey-evidence.ts";
import { type CommittedParameter, committedParameters } from "./inputs/committed-parameters.ts";
import {
  type CountedDevices,
  countForResult,
  type DeviceHouseholds,
  framedSerials,
  isInFrame,
  type ListedDevice,
  registeredDevices,
} from "./inputs/counted-devices.ts";
import { type EmissionsTerms, readEmissionsTerms } from "./inputs/emissions-terms.ts";
import { endedPositions, readBeforeDraw } from "./inputs/measurement-order.ts";
import { type RecordedReplacement, recordReplacement } from "./replacement-rules.ts";
import { type CampaignResult, resultOf } from "./result.ts";

type RecordedClaim = {
  id: string;
  group: Group;
  position: number;
  totalGrams: string;
  logs: number;
  /** Of a claim with visits: grams (Wh of electricity) of each fuel. */
  fuels?: Readonly<Partial<Record<FuelId, string>>>;
  /** Of a claim that counts dry mass: grams of solid biomass as weighed. */
  weighed?: Readonly<Partial<Record<FuelId, string>>>;
  /** Of a claim with visits: the people that they fed; absent from claims and results of earlier versions. */
  fed?: Readonly<KptPeopleFed>;
};
/** A sibling's status when the result was calculated. `isRival`: false where it did not have to end first. */
export type RecordedSibling = {
  campaignId: string;
  status: CampaignStatus;
  isRival?: false | undefined;
  /** The operator's account that abandoned it although its draw was or could be known. */
  discardedBy?: string | undefined;
};
type RecordedMembers = HouseholdMembers & { group: Group; position: number };

/** All that a result follows from, as plain JSON: who keeps it can calculate the result again. It names no household. */
export type ResultRecord = {
  campaignId: string;
  confidence: Confidence;
  /** How the sample was planned; absent where the terms state a confidence alone. */
  sampling?: SamplingTerms;
  sampleSize: number;
  /** Whether two parties drew; absent from results that were closed before draws had parties. */
  twoParties?: boolean;
  frameSizes: Record<Group, number>;
  /** Households that a frame below the minimum sample leaves out; absent where no device is counted, and from earlier results. */
  leftOut?: LeftOut;
  terms: EmissionsTerms;
  /** Parameters of the regulator's list that the terms refer to; absent from results that were closed before. */
  parameters?: CommittedParameter[];
  /** What the regulator recorded for the plan; absent from results that were closed before. */
  planRecords?: PlanRecords;
  /** Registered devices of the intervention frame's households in the crediting period; absent where none was registered. */
  devices?: DeviceCount;
  /** Last day of the count of devices: the last of the year, or the day of the close; absent from results that were closed before. */
  devicesTo?: string;
  /** Households of the plan that have a device then; absent from results that were closed before devices were counted by household. */
  deviceHouseholds?: DeviceHouseholds;
  /** Whether a certificate needs units and usage of registered devices; absent from results that were closed before it did. */
  requiresRegistry?: boolean;
  /** SHA-256 of the list of the plan's devices; absent before the close. */
  deviceList?: Hex;
  /** Devices that the usage survey was drawn from; absent where the terms commit none. */
  usageFrame?: UsageFrame;
  /** How the drawn devices of the usage survey ended, by age. */
  usageSurvey?: SurveyedCohort[];
  /** Positions of the usage survey with the evidence of another device; absent from results that were closed before. */
  sharedSurveyEvidence?: number[];
  /** Positions with the evidence of another claim, household or device; absent from results that were closed before. */
  sharedEvidence?: SharedEvidence;
  /** Positions with evidence of other campaigns of this service, by campaign; absent from results that were closed before. */
  evidenceElsewhere?: EvidenceElsewhere[];
  /** First and last day of the test, and how its days are counted; absent from results that were closed before. */
  test?: CampaignInput["test"];
  /** Positions that ended as missing, or whose claims were all revoked; absent from results that were closed before. */
  missing?: Record<Group, number[]>;
  /** Drawn positions that have not ended. */
  open?: Record<Group, number[]>;
  /** Replaced positions in the order of their replacements, from which each position's stratum follows; absent without strata. */
  replaced?: Record<Group, number[]>;
  /** Replacements in their order, with their evidence; absent from results that were closed before. */
  replacements?: Record<Group, RecordedReplacement[]>;
  /** Positions measured again after claims were revoked; absent from results that were closed before. */
  remeasured?: Record<Group, RemeasuredPosition[]>;
  /** What was measured before the draw; absent before it, and from results that were closed before. */
  beforeDraw?: BeforeDraw;
  /** Daily logs of each claim; absent where the terms fix none, and from results that were closed before. */
  days?: number;
  /** Campaigns over the same households and time. */
  siblings?: RecordedSibling[];
  /** Rules by which the result was flagged; absent from results that were closed before. */
  flagRules?: readonly FlagRule[];
  /** The claims that count, grams as decimal text. */
  claims: RecordedClaim[];
  /** Who lives in the measured households, where it is registered. */
  members: RecordedMembers[];
};

/** What the campaign's standing claims tell now. */
export async function recordNow(deps: CampaignDeps, row: CampaignRow, terms: EmissionsTerms): Promise<ResultRecord> {
  const standing = await deps.kpt.verifiedClaims(row.campaign);
  const claims = standing.map(
    ({ id, group, position, totalGrams, logs, fuels, weighed, fed }): RecordedClaim => ({
      id,
      group,
      position,
      totalGrams: String(totalGrams),
      logs,
      ...(fuels === null ? {} : { fuels }),
      ...(weighed === undefined ? {} : { weighed }),
      ...(fed === undefined ? {} : { fed }),
    }),
  );
  claims.sort((a, b) => (a.id < b.id ? -1 : 1));
  const members = await Promise.all(groups.map((group) => membersOf(deps, { row, group, claims })));
  const siblings = await recordedSiblings(deps, row);
  const unmeasured = await unmeasuredOf(deps, row, claims);
  const surveyed = await endedPositions(deps, row);
  const beforeDraw = await readBeforeDraw(deps, row, { claims: standing, surveyed });
  const parameters = await committedParameters(deps.parameters, terms);
  const { campaignId, sampleSize, frameSizes } = row;
  const dayCount = row.terms.logConvention === "calendar-days" ? "calendar" : "interval";
  return {
    campaignId,
    confidence: row.terms.confidence,
    ...(row.terms.sampling === undefined ? {} : { sampling: row.terms.sampling }),
    sampleSize,
    twoParties: await isDrawnByTwo(deps, row),
    frameSizes,
    terms,
    parameters,
    planRecords: await planRecordsNow(deps, row),
    ...(await countedDevices(deps, row, { terms, parameters })),
    requiresRegistry: true,
    ...(await surveyedUsage(deps, row, surveyed)),
    ...(await readSharedEvidence(deps, row, surveyed)),
    test: { ...periodOf(row, "intervention"), dayCount },
    ...unmeasured,
    ...(await replacedOf(deps, row)),
    replacements: await replacementsOf(deps, row),
    remeasured: remeasuredOf(await deps.kpt.revokedClaims(row.campaign), unmeasured),
    ...(beforeDraw === undefined ? {} : { beforeDraw }),
    ...(row.terms.days === undefined ? {} : { days: row.terms.days }),
    siblings,
    flagRules,
    claims,
    members: members.flat(),
  };
}

/** What the regulator recorded for the campaign's plan until now. */
async function planRecordsNow({ parameters, registry }: CampaignDeps, row: CampaignRow): Promise<PlanRecords> {
  return readPlanRecords(parameters, (await registry.plans.termsOf(row.plan)).planId, row);
}

async function recordedSiblings(deps: CampaignDeps, row: CampaignRow): Promise<RecordedSibling[]> {
  const found = await siblingsOf(deps, row);
  return Promise.all(
    found.map(async ({ row: sibling, isRival }): Promise<RecordedSibling> => {
      const discardedBy = await discardedByOf(deps, sibling);
      return {
        campaignId: sibling.campaignId,
        status: sibling.status,
        ...(isRival ? {} : { isRival }),
        ...(discardedBy === null ? {} : { discardedBy }),
      };
    }),
  );
}

/** Devices of the frame's households in the year of the reduction. A number that was stated before the plan had a device stays. */
async function countedDevices(
  deps: CampaignDeps,
  row: CampaignRow,
  given: Pick<ResultRecord, "terms" | "parameters">,
): Promise<Partial<CountedDevices> & Pick<ResultRecord, "leftOut">> {
  if (given.terms.units !== undefined) return {};
  const list = await registeredDevices(deps, row);
  if (!list.some((device) => isInFrame(device, row.frameSizes.intervention))) return {};
  return countListed(deps, row, { ...given, list });
}

/** Count listed devices, and the households that small frames leave out. */
export async function countListed(
  deps: Pick<CampaignDeps, "chain" | "db">,
  row: CampaignRow,
  { list, terms, parameters }: Pick<ResultRecord, "terms" | "parameters"> & { list: readonly ListedDevice[] },
): Promise<CountedDevices & Pick<ResultRecord, "leftOut">> {
  const { endDate, frameSizes } = row;
  const frame = await framedSerials(deps.db, row.terms.usageFrame);
  const frameSize = frameSizes.intervention;
  return {
    ...countForResult(list, terms, { endDate, frame, frameSize, until: await todayOf(deps) }),
    leftOut: leftOutOf(row, { frameSizes, terms, parameters, list }),
  };
}

async function surveyedUsage(
  deps: CampaignDeps,
  row: CampaignRow,
  surveyed: readonly EndedPosition[],
): Promise<Pick<ResultRecord, "usageFrame" | "usageSurvey" | "sharedSurveyEvidence">> {
  const state = await surveyStateOf(deps, row);
  const { usageFrame } = row.terms;
  if (state === null || usageFrame === undefined) return {};
  const shared = sharedSurveyEvidence(
    surveyed.map(({ position: { position }, record }) => ({ position, evidence: record?.evidence ?? [] })),
  );
  return { usageFrame, usageSurvey: state.cohorts, sharedSurveyEvidence: shared };
}

/** Drawn households that were not replaced and have no claim: those marked as missing, and those still open. */
async function unmeasuredOf(deps: CampaignDeps, row: CampaignRow, claims: RecordedClaim[]) {
  const measured = new Set(claims.map(({ group, position }) => `${group}:${position}`));
  const missing: Record<Group, number[]> = { reference: [], intervention: [] };
  const open: Record<Group, number[]> = { reference: [], intervention: [] };
  for (const { group, position, isReplaced, isMissing } of await deps.campaigns.sampleOf(row)) {
    if (isReplaced || measured.has(`${group}:${position}`)) continue;
    (isMissing ? missing : open)[group].push(position);
  }
  return { missing, open };
}

async function replacedOf({ campaigns }: CampaignDeps, row: CampaignRow): Promise<Pick<ResultRecord, "replaced">> {
  if (row.terms.sampling?.strata === undefined) return {};
  const reference = await campaigns.droppedOf(row, "reference");
  return { replaced: { reference, intervention: await campaigns.droppedOf(row, "intervention") } };
}

async function replacementsOf({ campaigns }: CampaignDeps, row: CampaignRow) {
  await campaigns.sampleOf(row);
  const stored = await campaigns.store.replacements(row.campaign);
  const of = (group: Group) =>
    stored.filter((each) => each.group === group).map(({ dropped, evidence }) => recordReplacement(dropped, evidence));
  return { reference: of("reference"), intervention: of("intervention") };
}

async function membersOf(
  deps: CampaignDeps,
  { row, group, claims }: { row: CampaignRow; group: Group; claims: RecordedClaim[] },
): Promise<RecordedMembers[]> {
  const measured = new Set(claims.filter((claim) => claim.group === group).map(({ position }) => position));
  const positions = [...measured].sort((a, b) => a - b);
  const dids = await deps.campaigns.didsOf(row.campaign, group, positions);
  const households = await deps.registry.households.byDids([...dids.values()]);
  return positions.flatMap((position) => {
    const household = households.get(dids.get(position) ?? "");
    if (household === undefined) return [];
    const { men, women, children, elderly } = household;
    if (men === null && women === null && children === null && elderly === null) return [];
    const counts = { men: men ?? 0, women: women ?? 0, children: children ?? 0, elderly: elderly ?? 0 };
    return [{ group, position, ...counts }];
  });
}

/** Names of the lines that adjust the reduction by a method: factors, caps and leakage. */
export function adjustmentNames(record: ResultRecord, method: string | undefined): Set<string> {
  const lines = resultFrom(record).reductions.find((each) => each.method === method)?.reduction?.lines ?? [];
  return new Set(lines.filter(({ isAdjustment }) => isAdjustment).map(({ name }) => name));
}

/** The result that follows from a record. */
export function resultFrom(record: ResultRecord): CampaignResult {
  const { confidence, sampleSize, frameSizes, terms } = record;
  const members = { reference: new Map<number, RecordedMembers>(), intervention: new Map<number, RecordedMembers>() };
  for (const each of record.members) members[each.group].set(each.position, each);
  const campaign = {
    precision: decimal(confidence.precision),
    convention: confidence.convention,
    sampling: record.sampling,
    sampleSize,
    twoParties: record.twoParties ?? false,
    frameSizes,
    leftOut: record.leftOut,
    terms,
    parameters: record.parameters,
    planRecords: record.planRecords,
    devices: record.devices,
    deviceHouseholds: record.deviceHouseholds,
    requiresRegistry: record.requiresRegistry ?? false,
    usageSurvey: record.usageSurvey,
    sharedSurveyEvidence: record.sharedSurveyEvidence,
    sharedEvidence: record.sharedEvidence,
    evidenceElsewhere: record.evidenceElsewhere,
    test: record.test ?? testOfClaims(record),
    missing: record.missing ?? { reference: [], intervention: [] },
    open: record.open ?? { reference: [], intervention: [] },
    replaced: record.replaced,
    replacements: record.replacements,
    remeasured: record.remeasured,
    beforeDraw: record.beforeDraw,
    days: record.days,
    openSiblings: (record.siblings ?? [])
      .filter(({ status, isRival }) => isRival !== false && (status === "committed" || status === "drawn"))
      .map((sibling) => sibling.campaignId),
  };
  const claims = record.claims.map(({ id, group, position, totalGrams, logs, fuels, weighed, fed }) => {
    return { id, group, position, totalGrams: BigInt(totalGrams), logs, fuels, weighed, fed };
  });
  const result = resultOf(campaign, claims, (group, position) => members[group].get(position) ?? null);
  const rules = new Set(record.flagRules ?? flagRules);
  return { ...result, flags: result.flags.filter(({ rule }) => rules.has(rule)) };
}

/** A test of as many days as the claims have logs; which days does not matter to the figures. */
function testOfClaims({ claims, terms }: ResultRecord): CampaignInput["test"] {
  const days = claims.reduce((most, { logs }) => Math.max(most, logs), 1);
  const startDate = `${terms.vintage ?? 1970}-01-01`;
  const endDate = new Date(Date.parse(startDate) + (days - 1) * 86_400_000).toISOString().slice(0, 10);
  return { startDate, endDate, dayCount: "calendar" };
}

/** The terms that a campaign committed before its draw. */
export function committedTerms(row: CampaignRow): EmissionsTerms {
  return readEmissionsTerms(row.terms.emissions ?? {});
}
