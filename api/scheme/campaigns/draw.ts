import { type Chain, partKey, submitCall } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { statusConflict } from "../registry/index.ts";
import { requireOwnCampaign, requireVisibleCampaign } from "./access.ts";
import type { CampaignDeps } from "./deps.ts";
import type { CampaignRow } from "./model.ts";
import type { CampaignResponse } from "./schemas.ts";
import { serializeCampaign } from "./serialize-campaign.ts";
import { refuseOpenSiblings, siblingsOf } from "./siblings.ts";

/**
 * Draws a campaign's samples by the hash of its draw block, which it waits for; when that hash is out of reach, by the block that the
 * contract sets in its place.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when it is drawn already, or its block is not mined in time
 */
export async function drawCampaign(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<CampaignResponse> {
  const deadline = Date.now() + deps.config.chain.txWaitMs;
  let row = await requireVisibleCampaign(deps, ctx, campaignId);
  await requireOwnCampaign(deps, ctx, row);
  await requireUndrawn(deps, ctx, row);
  await refuseEarlierSiblings(deps, row);
  while (row.status === "committed") {
    await requireMined(deps.chain, row.drawBlock, deadline);
    await submitCall(deps, ctx, {
      sender: "operator",
      contract: "campaigns",
      functionName: "draw",
      args: [row.campaign],
      purpose: "campaign.draw",
      part: partOf(row.drawBlock),
    });
    deps.campaigns.noteChange(row.campaign);
    row = await requireVisibleCampaign(deps, ctx, campaignId);
  }
  return serializeCampaign(deps, row);
}

/** Of two campaigns that were committed at one moment, the later one waits. @throws AppError CONFLICT */
async function refuseEarlierSiblings(deps: CampaignDeps, row: CampaignRow): Promise<void> {
  if (row.status !== "committed") return;
  const siblings = await siblingsOf(deps, row);
  refuseOpenSiblings(siblings.filter(({ campaign }) => campaign < row.campaign));
}

/** A campaign that an earlier attempt of the same idempotent request has drawn is as good as undrawn. */
async function requireUndrawn(deps: CampaignDeps, ctx: RequestContext, row: CampaignRow): Promise<void> {
  if (row.status === "committed") return;
  if (row.status === "abandoned") throw statusConflict(`Campaign ${row.campaignId} is abandoned.`);
  const draw = await deps.campaigns.drawOf(row.campaign);
  const isOwn =
    draw !== null && (await deps.chain.outbox.isStored(partKey(ctx.idempotencyKey, partOf(draw.drawBlock))));
  if (isOwn) return;
  const message = `Campaign ${row.campaignId} is drawn already.`;
  throw new AppError("CONFLICT", message, { details: [{ path: "status", rule: "drawn-once", message }] });
}

const partOf = (drawBlock: number) => `draw:${drawBlock}`;

async function requireMined(chain: Chain, drawBlock: number, deadline: number): Promise<void> {
  if (await isPast(chain, drawBlock, deadline)) return;
  const message = `Block ${drawBlock}, whose hash draws the sample, has no successor yet; try again later.`;
  throw new AppError("CONFLICT", message, {
    details: [{ rule: "draw-block-mined", message }],
    headers: { "Retry-After": "5" },
  });
}

/** Whether the chain passes a block before `deadline` (unix milliseconds). */
async function isPast(chain: Chain, block: number, deadline: number): Promise<boolean> {
  if ((await chain.latest()).number > block) return true;
  return new Promise((resolve) => {
    const end = (outcome: boolean) => {
      unsubscribe();
      clearTimeout(timer);
      resolve(outcome);
    };
    const unsubscribe = chain.head.subscribe((head) => head.number > block && end(true));
    const timer = setTimeout(() => end(false), Math.max(0, deadline - Date.now()));
  });
}
