import { type MinedCall, once, submitCall } from "../../platform/chain/index.ts";
import { type RequestContext, requireRoleOrScope, toPage } from "../../platform/http/index.ts";
import { indexAfter, notRegistered } from "../registry/index.ts";
import { requireVisibleCampaign, visibleImplementers, WRITE_SCOPE } from "./access.ts";
import type { CampaignDeps } from "./deps.ts";
import { pairedRootOf } from "./model.ts";
import type { CampaignResponse, CampaignSummary, NewCampaign } from "./schemas.ts";
import { serializeCampaign, summarise } from "./serialize-campaign.ts";
import { type CheckedCampaign, checkCampaign } from "./terms/checks.ts";
import { canonicalTerms } from "./terms/terms.ts";

/** How long a frame is kept that no campaign has come to use, in milliseconds. */
const UNUSED_FRAME_MS = 7 * 86_400_000;

/**
 * Stores the frames and commits their roots on chain, before anybody can know the draw.
 * @throws AppError FORBIDDEN, CONFLICT, RULE_VIOLATION
 */
export async function commitCampaign(
  deps: CampaignDeps,
  ctx: RequestContext,
  input: NewCampaign,
): Promise<CampaignResponse> {
  requireRoleOrScope(ctx.actor, WRITE_SCOPE, "regulator", "implementer");
  await once(deps, ctx, async () => {
    const checked = await checkCampaign(deps, ctx, input);
    const { campaigns, clock } = deps;
    const now = clock.now();
    await campaigns.removeUnusedFrames(new Date(now.getTime() - UNUSED_FRAME_MS));
    // Before the commit: a frame that only its root is left of could never be drawn from.
    await campaigns.store.saveFrame(checked.frames.reference, now);
    await campaigns.store.saveFrame(checked.frames.intervention, now);
    for (const frame of checked.stratumFrames) await campaigns.store.saveFrame(frame, now);
    return sendCommit(deps, ctx, input.campaignId, checked);
  });
  return getCampaign(deps, ctx, input.campaignId);
}

/** @throws AppError NOT_FOUND, also for a campaign that the actor may not see */
export async function getCampaign(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<CampaignResponse> {
  return serializeCampaign(deps, await requireVisibleCampaign(deps, ctx, campaignId));
}

/** The campaigns that the actor may see. @throws AppError NOT_FOUND for an implementer that is not registered */
export async function listCampaigns(
  deps: CampaignDeps,
  ctx: RequestContext,
  query: { limit: number; cursor?: string | undefined; implementerDid?: string | undefined },
): Promise<{ items: CampaignSummary[]; nextCursor: string | null }> {
  const after = indexAfter(query.cursor);
  const visible = await wanted(deps, ctx, query.implementerDid);
  const rows = visible?.length === 0 ? [] : await deps.campaigns.listAfter(after, query.limit + 1, visible);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.campaign]);
  return { items: await Promise.all(items.map((row) => summarise(deps, row))), nextCursor };
}

async function wanted(
  deps: CampaignDeps,
  ctx: RequestContext,
  implementerDid: string | undefined,
): Promise<number[] | undefined> {
  const visible = await visibleImplementers(deps, ctx);
  if (implementerDid === undefined) return visible;
  const row = await deps.registry.implementers.byDid(implementerDid);
  if (!row) throw notRegistered("Implementer", implementerDid);
  return visible === undefined || visible.includes(row.implementer) ? [row.implementer] : [];
}

function sendCommit(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  checked: CheckedCampaign,
): Promise<MinedCall> {
  const { plan, startDay, endDay, sampleSize, frames, terms } = checked;
  const frameOf = ({ root, dids }: CheckedCampaign["frames"]["reference"]) => ({ root, size: dids.length });
  const isPaired = terms.sampling?.paired !== undefined;
  const registration = {
    campaignId,
    plan,
    startDay,
    endDay,
    sampleSize,
    referenceFrame: frameOf(frames.reference),
    interventionFrame: isPaired
      ? { root: pairedRootOf(frames.reference.root), size: frames.reference.dids.length }
      : frameOf(frames.intervention),
    terms: canonicalTerms(terms),
  };
  return submitCall(deps, ctx, {
    sender: "operator",
    contract: "campaigns",
    functionName: "commit",
    args: [registration],
    purpose: "campaign.commit",
  });
}
