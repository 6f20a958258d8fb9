import { zeroHash } from "viem";
import { AppError } from "../../../platform/errors.ts";
import { notRegistered } from "../../registry/index.ts";
import { serializeBeacon } from "../beacon/beacon.ts";
import type { CampaignDeps } from "../deps.ts";
import { LEAF_BYTES } from "../frame/frame.ts";
import type { Group } from "../groups.ts";
import { type CampaignRow, committedRootOf } from "../model.ts";
import { serviceAccountsOf } from "../service-accounts.ts";
import type { SampledRow } from "../store.ts";
import type { ReplacementRow } from "../tables.ts";
import type { DrawDocument, DrawDocumentGroup } from "./document-schema.ts";

/**
 * What anyone needs to draw a campaign's samples again and to compare: frames as keyed hashes, the commit, the draw and every
 * replacement. It names no household.
 * @throws AppError NOT_FOUND when there is no such campaign, or its frames are not in this database
 */
export async function drawDocumentOf(deps: CampaignDeps, campaignId: string): Promise<DrawDocument> {
  const { campaigns, chain } = deps;
  const row = await campaigns.byId(campaignId);
  if (!row) throw notRegistered("Campaign", campaignId);
  const sampled = await campaigns.sampleOf(row);
  const replaced = await campaigns.store.replacements(row.campaign);
  const draw = row.seed === null ? null : await campaigns.drawOf(row.campaign);
  const round = await campaigns.ledger.drawRoundOf(row.campaign);
  const discarded = await campaigns.ledger.discardedDrawsOf(row.campaign);
  const beacon = await serializeBeacon(deps, row);
  const groupOf = async (group: Group) => {
    const strata = await campaigns.strataOfFrame(row, group);
    const serialized = serializeGroup(row, group, await heldLeaves(deps, row, group), sampled, replaced);
    return strata === null ? serialized : { ...serialized, strata };
  };
  return {
    format: "hearth-draw-2",
    chainId: chain.id,
    contract: chain.addresses.campaigns,
    campaignId: row.campaignId,
    campaign: row.campaign,
    status: row.status,
    sampleSize: row.sampleSize,
    commit: { blockNumber: row.blockNumber, transactionHash: row.transactionHash, drawBlock: row.drawBlock },
    parties: await campaigns.ledger.drawHistoryOf(row.campaign),
    // Left out where there is none, so that the bytes of earlier data rooms stay as a verifier signed them.
    ...(discarded.length === 0 ? {} : { discarded }),
    serviceAccounts: serviceAccountsOf(chain),
    draw: draw && {
      drawBlock: draw.drawBlock,
      blockHash: draw.blockHash,
      blockTime: (await deps.registry.ledger.timeOf(BigInt(draw.drawBlock))).getTime() / 1_000,
      seed: draw.seed,
      secrets: { operator: round.operator?.secret ?? zeroHash, secondParty: round.secondParty?.secret ?? null },
      twoParties: draw.twoParties,
      ...(beacon === null ? {} : { beacon }),
      blockNumber: draw.blockNumber,
      transactionHash: draw.transactionHash,
    },
    groups: { reference: await groupOf("reference"), intervention: await groupOf("intervention") },
  };
}

async function heldLeaves({ campaigns }: CampaignDeps, row: CampaignRow, group: Group): Promise<Uint8Array> {
  const leaves = await campaigns.leavesOf(row, group);
  if (leaves) return leaves;
  throw new AppError("NOT_FOUND", `The ${group} frame of campaign ${row.campaignId} is not held by this service.`);
}

function serializeGroup(
  row: CampaignRow,
  group: Group,
  leaves: Uint8Array,
  sampled: SampledRow[],
  replaced: ReplacementRow[],
): DrawDocumentGroup {
  const inGroup = <T extends { group: Group }>(all: T[]) => all.filter((each) => each.group === group);
  return {
    root: committedRootOf(row, group),
    size: leaves.length / LEAF_BYTES,
    leaves: hexLeaves(leaves),
    sample: inGroup(sampled).map(({ position, leaf, isReplaced }) => ({
      position,
      leaf,
      status: isReplaced ? "replaced" : "sampled",
    })),
    replacements: inGroup(replaced).map(({ dropped, replacement, reason, transactionHash }) => ({
      dropped,
      replacement: replacement ?? 0,
      reason,
      transactionHash: transactionHash ?? "",
    })),
  };
}

function hexLeaves(leaves: Uint8Array): string[] {
  const text = Buffer.from(leaves.buffer, leaves.byteOffset, leaves.length).toString("hex");
  return Array.from({ length: leaves.length / LEAF_BYTES }, (_, i) => `0x${text.slice(i * 64, (i + 1) * 64)}`);
}
