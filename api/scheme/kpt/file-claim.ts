import {
  brokenKptRules,
  codeOfKptReason,
  type KptCampaign,
  type KptMeasurement,
  type KptSpan,
} from "../../../wire/src/kpt-rules.ts";
import {
  amountIn,
  type FuelMass,
  fuelsOfVisits,
  isDriedFuel,
  type KptFuel,
  type KptPeopleFed,
  peopleFedOf,
} from "../../../wire/src/kpt-visits.ts";
import { dayOf } from "../../platform/chain/index.ts";
import { type AppError, brokenRuleError, defineRules, refuseBrokenRules } from "../../platform/errors.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { type CampaignRow, fuelsWithDryNcv, type Member, periodOf } from "../campaigns/index.ts";
import { mayFile, requireFiler, requireKnownCampaign, requireMayFile } from "./access.ts";
import type { KptServiceDeps } from "./deps.ts";
import { checkEvidence } from "./evidence.ts";
import { keepFieldFacts } from "./field/facts.ts";
import type { Surroundings } from "./filing-store.ts";
import { recordClaim, signClaim } from "./finish.ts";
import { kptMeasurementOf } from "./measurement.ts";
import { asSent, type KptClaim, type KptClaimRequest } from "./schemas.ts";
import { serializeClaim } from "./serialize.ts";
import type { FuelAmounts, KptClaimRow } from "./tables.ts";

/** `isNearest`: the claim names no campaign and its household is in no open sample. This campaign only serves to check the claim. */
type Found = { campaign: CampaignRow; member: Member | null; isNearest: boolean };
/** A claim with everything that its check needs. */
type Case = {
  claim: KptClaimRequest;
  found: Found | null;
  span: KptSpan | null;
  householdHash: string;
  contentHash: string;
  /** The claim with the measurement that follows from its visits, for the campaign's fuel. */
  measured: KptMeasurement;
};

/** How often a claim is retried if another claim of its household is filed meanwhile. */
const MAX_TRIES = 50;
/** Offset of the earliest time zone from UTC, in seconds. */
const MOST_AHEAD_OF_UTC = 14 * 3600;

const broken = defineRules({
  "other-claims-being-filed": [
    "claims-settled",
    "Other claims of the household are being filed; try again in a moment.",
  ],
  "same-claim-filed": ["same-claim", "The same claim was filed before: {claimId}."],
  "days-measured-already": [
    "period-already-measured",
    "The household has a claim of another content for these days: {claimId}.",
  ],
  "campaign-not-open": ["campaign-open", "Campaign {campaignId} is {status}."],
});

/**
 * File a KPT claim: check it, take its days, store it, sign its credential and record it on chain.
 * @throws AppError NOT_FOUND (campaign), FORBIDDEN, CONFLICT (its days are measured, or the campaign is closed), RULE_VIOLATION
 * naming every broken rule
 * @throws PendingTransactionError if the block is not mined in time
 */
export async function fileKptClaim(
  deps: KptServiceDeps,
  ctx: RequestContext,
  claim: KptClaimRequest,
): Promise<KptClaim> {
  const { kpt, registry } = deps;
  await checkEvidence(claim.evidence);
  requireFiler(ctx.actor);
  const begun = ctx.idempotencyKey === undefined ? null : await kpt.store.byIdempotencyKey(ctx.idempotencyKey);
  const resumed = begun && (await carryOn(deps, begun, claim));
  if (resumed) return serializeClaim(deps, resumed);
  const found = await findCampaign(deps, ctx, claim);
  const span = spanOf(claim, found);
  const householdHash = registry.households.hashOf(claim.householdId);
  const given: Case = {
    claim,
    found,
    span,
    householdHash,
    contentHash: contentHashOf(deps, claim, found, span),
    measured: kptMeasurementOf(claim, found?.campaign.terms.emissions?.fuel ?? "wood", massOf(found)),
  };
  const reserved = await reserve(deps, ctx, given);
  const filed = await kpt.hold(reserved.id, async () => {
    await kpt.step?.("reserved");
    return await signAndRecord(deps, reserved, claim);
  });
  return serializeClaim(deps, filed);
}

/** Continue an interrupted attempt of the same request; null if that attempt failed. */
async function carryOn(deps: KptServiceDeps, { id }: KptClaimRow, claim: KptClaimRequest): Promise<KptClaimRow | null> {
  const { kpt } = deps;
  return await kpt.hold(id, async () => {
    const row = await kpt.store.byId(id);
    if (row === null || row.status === "refused" || row.status === "void") return null;
    if (row.status !== "filing") return row;
    return row.credential === null ? await signAndRecord(deps, row, claim) : await kpt.finish(row);
  });
}

async function signAndRecord(deps: KptServiceDeps, row: KptClaimRow, claim: KptClaimRequest): Promise<KptClaimRow> {
  const { kpt } = deps;
  const signed = await sign(deps, row, claim);
  await kpt.step?.("signed");
  return await recordClaim(kpt, signed);
}

/** Sign the claim. If that fails, release its reserved days immediately. */
async function sign(deps: KptServiceDeps, row: KptClaimRow, claim: KptClaimRequest): Promise<KptClaimRow> {
  const { kpt } = deps;
  try {
    await keepFieldFacts(deps.db, row, claim);
    return await signClaim(kpt, row, asSent(claim));
  } catch (error) {
    await kpt.giveUp(row);
    throw error;
  }
}

/** Find the campaign to file the claim in. @throws AppError NOT_FOUND, FORBIDDEN */
async function findCampaign(deps: KptServiceDeps, ctx: RequestContext, claim: KptClaimRequest): Promise<Found | null> {
  const { campaigns } = deps;
  if (claim.campaignId !== undefined) {
    const campaign = await requireKnownCampaign(deps, ctx, claim.campaignId);
    await requireMayFile(deps, ctx, campaign);
    const member = await campaigns.memberOf(campaign.campaign, claim.householdId, claim.testGroup);
    return { campaign, member, isNearest: false };
  }
  const own: Found[] = [];
  for (const sample of await campaigns.openSamplesOf(claim.householdId)) {
    if (await mayFile(deps, ctx, sample.campaign)) own.push({ ...sample, isNearest: false });
  }
  const fitness = ({ campaign, member }: Found) =>
    Number(member?.group === claim.testGroup) * 2 + Number(holds(campaign, claim.testPeriod));
  return own.sort((a, b) => fitness(b) - fitness(a))[0] ?? (await nearestCampaign(deps, ctx, claim));
}

/** Choose the open campaign that suits the claim best, of those that the actor may file for, to name every broken rule together. */
async function nearestCampaign(
  deps: KptServiceDeps,
  ctx: RequestContext,
  { testPeriod }: KptClaimRequest,
): Promise<Found | null> {
  const own: CampaignRow[] = [];
  for (const campaign of await deps.campaigns.open()) {
    if (await mayFile(deps, ctx, campaign)) own.push(campaign);
  }
  const fitness = (campaign: CampaignRow) =>
    Number(holds(campaign, testPeriod)) * 2 + Number(campaign.claims.reference > 0);
  const [campaign] = own.sort((a, b) => fitness(b) - fitness(a));
  return campaign === undefined ? null : { campaign, member: null, isNearest: true };
}

function holds(campaign: CampaignRow, period: KptClaimRequest["testPeriod"]): boolean {
  return period !== undefined && campaign.startDate <= period.startDate && period.endDate <= campaign.endDate;
}

function spanOf({ testPeriod, testGroup }: KptClaimRequest, found: Found | null): KptSpan | null {
  const ofCampaign = found === null || found.isNearest ? undefined : periodOf(found.campaign, testGroup);
  const dates = testPeriod ?? ofCampaign;
  if (dates === undefined) return null;
  return { startDay: day(dates.startDate), endDay: day(dates.endDate), durationDays: testPeriod?.durationDays };
}

function day(date: string): number {
  const found = dayOf(date);
  if (found === null) throw new Error(`${date} is not a day.`);
  return found;
}

/** Keyed, because likely measurements are few enough to guess. Equal whether or not the request states campaign and period. */
function contentHashOf(
  deps: KptServiceDeps,
  claim: KptClaimRequest,
  found: Found | null,
  span: KptSpan | null,
): string {
  const { campaignId: _, testPeriod: __, ...rest } = claim;
  const place = `${found?.campaign.campaign ?? 0} ${span?.startDay} ${span?.endDay}`;
  return deps.registry.households.hashOf(`kpt-claim ${place} ${asSent(rest)}`);
}

/** Check the claim and reserve its days; retry if another claim of the household is filed meanwhile. */
async function reserve(deps: KptServiceDeps, ctx: RequestContext, given: Case): Promise<KptClaimRow> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = await tryReserve(deps, ctx, given);
    if (row !== null) return row;
  }
  throw brokenRuleError("CONFLICT", broken("other-claims-being-filed", "householdId"));
}

async function tryReserve(deps: KptServiceDeps, ctx: RequestContext, given: Case): Promise<KptClaimRow | null> {
  const { kpt, clock } = deps;
  const { claim, found, span, householdHash, contentHash } = given;
  const around = await surroundings(deps, given);
  if (around.measuredBy !== null && (await refuseMeasured(deps, around.measuredBy, contentHash))) return null;
  if (found?.campaign.status === "closed" || found?.campaign.status === "abandoned") throw ended(found.campaign);
  const campaign = found && { ...factsOf(found, claim.testGroup, around), dryMass: await dryMassOf(deps, found) };
  const facts = { span, campaign, today: latestDay(deps) };
  const problems = brokenKptRules(given.measured, facts).map(({ path, rule, message, reason, values }) => {
    return { path, rule, message, code: codeOfKptReason(reason), values };
  });
  refuseBrokenRules(problems, "The claim breaks the rules of the scheme.");
  if (!found?.member || span === null) throw new Error("A claim without a sample broke no rule.");
  const { startDay, endDay } = span;
  const { total, dailyLogs } = given.measured.fuelMeasurements;
  const row = {
    campaign: found.campaign.campaign,
    campaignId: found.campaign.campaignId,
    group: found.member.group,
    position: found.member.position,
    householdDid: claim.householdId,
    householdHash,
    startDay,
    endDay,
    totalGrams: total,
    logs: dailyLogs.length,
    ...amountsOf(claim, massOf(found)),
    contentHash,
    idempotencyKey: ctx.idempotencyKey ?? null,
    createdAt: clock.now(),
  };
  return await kpt.store.reserve(row, around.lastNumber + 1);
}

/** How the campaign counts the fuel; undefined: as weighed. */
function massOf(found: Found | null): FuelMass | undefined {
  return found === null || found.isNearest ? undefined : found.campaign.terms.emissions?.fuelMass;
}

/** What the rules of dry mass need; undefined where the campaign counts mass as weighed. */
async function dryMassOf({ parameters }: KptServiceDeps, { campaign }: Found): Promise<KptCampaign["dryMass"]> {
  const { emissions } = campaign.terms;
  if (emissions?.fuelMass !== "dry") return undefined;
  return { dryNcvOf: await fuelsWithDryNcv(parameters, emissions) };
}

/** The amount of each fuel that visits weighed, where dry mass is counted also the mass as weighed, and the people that they fed. */
function amountsOf(
  { visits, testGroup }: KptClaimRequest,
  mass: FuelMass | undefined,
): { fuels: FuelAmounts | null; weighed: FuelAmounts | null; fed: KptPeopleFed | null } {
  if (visits === undefined) return { fuels: null, weighed: null, fed: null };
  const fuels = textsOf(fuelsOfVisits(visits, amountIn(mass, testGroup)));
  const fed = peopleFedOf(visits);
  if (mass !== "dry") return { fuels, weighed: null, fed };
  return { fuels, weighed: textsOf([...fuelsOfVisits(visits)].filter(([fuel]) => isDriedFuel(fuel))), fed };
}

function textsOf(amounts: Iterable<[KptFuel, bigint]>): FuelAmounts {
  return Object.fromEntries([...amounts].map(([fuel, amount]) => [fuel, String(amount)]));
}

/** The latest current day: households are in any time zone, and the chain's time may be ahead. */
function latestDay({ chain, clock }: KptServiceDeps): number {
  const seconds = Math.max(clock.now().getTime() / 1000, Number(chain.head.latest?.timestamp ?? 0));
  return Math.floor((seconds + MOST_AHEAD_OF_UTC) / 86_400);
}

async function surroundings(deps: KptServiceDeps, { claim, found, span, householdHash }: Case): Promise<Surroundings> {
  const { startDay, endDay } = span ?? { startDay: 0, endDay: -1 };
  const campaign = found?.campaign.campaign ?? 0;
  const position = found?.member?.position ?? -1;
  const group = claim.testGroup;
  return await deps.kpt.store.surroundings({ householdHash, campaign, group, position, startDay, endDay });
}

function factsOf(
  { campaign, member, isNearest }: Found,
  group: KptClaimRequest["testGroup"],
  around: Surroundings,
): KptCampaign {
  const { campaignId, status, terms } = campaign;
  const { startDate, endDate } = periodOf(campaign, group);
  // The groups of a paired design are measured one after the other.
  const isPaired = terms.sampling?.paired !== undefined;
  return {
    campaignId,
    window: { startDay: day(startDate), endDay: day(endDate) },
    logConvention: terms.logConvention,
    days: terms.days,
    season: terms.season,
    externalFactors: terms.externalFactors ?? undefined,
    member,
    isNearest,
    isDrawn: status !== "committed",
    hasReferenceClaims: around.hasReferenceClaims,
    otherGroup: isPaired ? { hasClaims: false, sharesDay: false } : around.otherGroup,
  };
}

/**
 * @returns true if the conflicting claim has been revoked on chain meanwhile, so that its days are released
 * @throws AppError CONFLICT naming that claim
 */
async function refuseMeasured(deps: KptServiceDeps, claimId: string, contentHash: string): Promise<boolean> {
  const { kpt } = deps;
  const known = await kpt.store.byId(claimId);
  const first = known && (await kpt.current(known));
  if (first === null || !["filing", "verified"].includes(first.status)) return true;
  const code = first.contentHash === contentHash ? "same-claim-filed" : "days-measured-already";
  throw brokenRuleError("CONFLICT", broken(code, "testPeriod", { claimId }));
}

function ended({ campaignId, status }: CampaignRow): AppError {
  return brokenRuleError("CONFLICT", broken("campaign-not-open", "campaignId", { campaignId, status }));
}
