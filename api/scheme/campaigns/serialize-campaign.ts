import { isoTime } from "../../platform/chain/index.ts";
import { decimal, jsonExact } from "../emissions/index.ts";
import { implementerDidOf } from "./access.ts";
import { serializeBeacon } from "./beacon/beacon.ts";
import type { CampaignDeps } from "./deps.ts";
import { type Group, groups } from "./groups.ts";
import type { CampaignRow, DrawParty } from "./model.ts";
import { strataStates } from "./positions/positions.ts";
import { serializeEmissionsTerms } from "./result/inputs/emissions-terms.ts";
import { serializeSampling } from "./sampling/schemas.ts";
import type {
  CampaignResponse,
  CampaignSummary,
  DrawParties,
  GroupResponse,
  MissingPosition,
  Replacement,
  Sibling,
} from "./schemas.ts";
import { discardedByOf, type Sibling as FoundSibling, siblingsOf } from "./siblings.ts";
import type { SampledRow } from "./store.ts";
import type { MissingRow, ReplacementRow } from "./tables.ts";

/** A campaign as lists show it. */
export async function summarise(deps: CampaignDeps, row: CampaignRow): Promise<CampaignSummary> {
  const { terms } = row;
  const { certificates, registry } = deps;
  const { level, precision, convention } = terms.confidence;
  const [plan, implementerDid, certificate] = await Promise.all([
    registry.plans.termsOf(row.plan),
    implementerDidOf(deps, row.implementer),
    row.certificate === null ? null : certificates.byIndex(row.certificate),
  ]);
  return {
    campaignId: row.campaignId,
    index: row.campaign,
    planId: plan.planId,
    implementerDid,
    status: row.status,
    testPeriod: { startDate: row.startDate, endDate: row.endDate },
    sampleSize: row.sampleSize,
    season: terms.season ?? null,
    externalFactors: terms.externalFactors,
    confidence: { level: jsonExact(decimal(level)), precision: jsonExact(decimal(precision)), convention },
    sampling: terms.sampling === undefined ? null : serializeSampling(terms.sampling),
    logConvention: terms.logConvention,
    days: terms.days ?? null,
    emissions: terms.emissions && serializeEmissionsTerms(terms.emissions),
    usageFrame: terms.usageFrame ?? null,
    beacon: terms.beacon ?? null,
    commit: {
      blockNumber: row.blockNumber,
      transactionHash: row.transactionHash,
      referenceRoot: row.referenceRoot,
      interventionRoot: row.interventionRoot,
      drawBlock: row.drawBlock,
    },
    termsVersion: row.termsVersion,
    openPositions: row.openPositions,
    groups: { reference: summaryOf(row, "reference"), intervention: summaryOf(row, "intervention") },
    resultHash: row.resultHash,
    certificateId: certificate?.certificateId ?? null,
    committedAt: row.committedAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}

/** A campaign with its draw, the households in its samples, and who was replaced. */
export async function serializeCampaign(deps: CampaignDeps, row: CampaignRow): Promise<CampaignResponse> {
  const { campaigns } = deps;
  const summary = await summarise(deps, row);
  const sampled = await campaigns.sampleOf(row);
  const [parties, replaced, missing, amendments, abandonment, discardedDraws, siblings, draw, ...held] =
    await Promise.all([
      drawPartiesOf(deps, row),
      campaigns.store.replacements(row.campaign),
      campaigns.store.missing(row.campaign),
      row.termsVersion > 1 ? campaigns.ledger.amendmentsOf(row.campaign) : [],
      row.status === "abandoned" ? campaigns.ledger.abandonmentOf(row.campaign) : null,
      campaigns.ledger.discardedDrawsOf(row.campaign),
      siblingsOf(deps, row),
      row.seed === null ? null : campaigns.drawOf(row.campaign),
      ...groups.map((group) => campaigns.holdsFrame(row, group)),
    ]);
  const dids = didsByPlace(sampled);
  const strata = await strataStates(deps, row);
  const stateOf = (group: Group): GroupResponse => ({
    ...summary.groups[group],
    ...(strata === null ? {} : { strata: strata[group] }),
    sample: sampled.filter((each) => each.group === group && !each.isReplaced).map(({ did }) => did),
    replacements: replaced.filter((each) => each.group === group).map((each) => serializeReplacement(each, dids)),
    missingHouseholds: missing.filter((each) => each.group === group).map((each) => serializeMissing(each, dids)),
    frameHeld: held[groups.indexOf(group)] ?? false,
  });
  const shown = {
    ...summary,
    groups: { reference: stateOf("reference"), intervention: stateOf("intervention") },
    amendments: amendments.map(({ terms: _, ...amendment }) => amendment),
    abandonment,
    drawParties: parties,
    discardedDraws,
    siblings: await Promise.all(siblings.map((each) => serializeSibling(deps, each))),
  };
  if (!draw) return shown;
  const { drawBlock: blockNumber, blockHash, seed, twoParties, transactionHash } = draw;
  const beacon = await serializeBeacon(deps, row);
  return { ...shown, draw: { blockNumber, blockHash, seed, twoParties, beacon, transactionHash } };
}

function serializeParty(party: DrawParty | null): DrawParties["operator"] {
  return party && { account: party.account, commitment: party.commitment, revealed: party.secret !== null };
}

async function drawPartiesOf({ campaigns }: CampaignDeps, { campaign }: CampaignRow): Promise<DrawParties> {
  const current = await campaigns.ledger.drawRoundOf(campaign);
  const { withheld } = current.round === 0 ? { withheld: [] } : await campaigns.ledger.drawHistoryOf(campaign);
  return {
    round: current.round,
    operator: serializeParty(current.operator),
    secondParty: serializeParty(current.secondParty),
    deadline: current.deadline === null ? null : isoTime(BigInt(current.deadline)),
    withheld: withheld.map(({ round, account, transactionHash }) => ({ round, account, transactionHash })),
  };
}

/** @param dids the drawn households (didsByPlace) */
export function serializeReplacement(row: ReplacementRow, dids: Map<string, string>): Replacement {
  const { group, dropped, replacement, reason, note, evidence } = row;
  const didAt = (position: number) => dids.get(placeOf(group, position)) ?? null;
  return {
    group,
    dropped: { householdId: didAt(dropped), position: dropped },
    replacement: { householdId: didAt(replacement ?? -1), position: replacement ?? -1 },
    reason,
    note,
    evidence,
    transactionHash: row.transactionHash ?? "",
    blockNumber: row.blockNumber ?? 0,
  };
}

/** @param dids the drawn households (didsByPlace) */
export function serializeMissing(row: MissingRow, dids: Map<string, string>): MissingPosition {
  const { group, position, reason, note, evidence } = row;
  const householdId = dids.get(placeOf(group, position)) ?? null;
  const place = { transactionHash: row.transactionHash ?? "", blockNumber: row.blockNumber ?? 0 };
  return { group, householdId, position, reason, note, evidence, ...place };
}

async function serializeSibling(deps: CampaignDeps, { row }: FoundSibling): Promise<Sibling> {
  const { campaignId, status, resultHash } = row;
  return { campaignId, status, resultHash, discardedBy: await discardedByOf(deps, row) };
}

/** DIDs of drawn households by group and position, for serializeReplacement. */
export function didsByPlace(sampled: SampledRow[]): Map<string, string> {
  return new Map(sampled.map(({ group, position, did }) => [placeOf(group, position), did]));
}

const placeOf = (group: Group, position: number) => `${group}:${position}`;

function summaryOf(row: CampaignRow, group: Group) {
  return {
    frameSize: row.frameSizes[group],
    drawn: row.drawnTo[group],
    claims: row.claims[group],
    missing: row.missing[group],
  };
}
