import { type Address, encodeAbiParameters, type Hex, isAddressEqual, keccak256, parseAbiParameters } from "viem";
import { type Chain, encodeCall, partKey, simulate, submitCall } from "../../../platform/chain/index.ts";
import { AppError } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { ruleConflict, statusConflict } from "../../registry/index.ts";
import { requireOwnCampaign, requireVisibleCampaign } from "../access.ts";
import { readRound } from "../beacon/beacon.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow, DrawRound } from "../model.ts";
import type { CampaignResponse } from "../schemas.ts";
import { serializeCampaign } from "../serialize-campaign.ts";
import { refuseOpenSiblings, siblingsOf } from "../siblings.ts";

/**
 * Open a campaign's draw with this service's commitment, wait for the draw block and reveal this service's secret. That draws
 * the samples when there is no second party, or when it has revealed its secret.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when it is drawn already, its block is not mined in time, or the time to reveal
 * is over
 */
export async function drawCampaign(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<CampaignResponse> {
  const deadline = performance.now() + deps.config.chain.txWaitMs;
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  await requireOwnCampaign(deps, ctx, row);
  await requireUndrawn(deps, ctx, row);
  await refuseEarlierSiblings(deps, row);
  if (row.status === "committed") {
    await requireCommittedParty(deps, row);
    await openDraw(deps, ctx, row.campaign);
    await revealOwnSecret(deps, ctx, row.campaign, deadline);
    deps.campaigns.noteChange(row.campaign);
    await readRound(deps, await requireVisibleCampaign(deps, ctx, campaignId));
  }
  return serializeCampaign(deps, await requireVisibleCampaign(deps, ctx, campaignId));
}

/** @throws AppError CONFLICT unless the second party that the terms commit has joined the draw */
async function requireCommittedParty({ campaigns }: CampaignDeps, { campaign, terms }: CampaignRow): Promise<void> {
  const committed = terms.sampling?.secondParty;
  if (committed === undefined) return;
  const { secondParty } = await campaigns.ledger.drawRoundOf(campaign);
  if (secondParty !== null && isAddressEqual(secondParty.account, committed as Address)) return;
  const joined = secondParty === null ? "nobody has joined" : `${secondParty.account} has joined`;
  throw ruleConflict("party-committed", `The terms commit ${committed} as the second party of the draw; ${joined}.`);
}

async function openDraw(deps: CampaignDeps, ctx: RequestContext, campaign: number): Promise<void> {
  const { round, operator } = await deps.campaigns.ledger.drawRoundOf(campaign);
  if (operator !== null) return;
  const secret = await deps.drawSecrets.findOrCreate(campaign, round);
  await submitCall(deps, ctx, {
    sender: "operator",
    contract: "campaigns",
    functionName: "openDraw",
    args: [campaign, commitmentOf(secret, deps.chain.senders.operator.address)],
    purpose: "campaign.open_draw",
    part: `open:${round}`,
  });
}

/**
 * Reveal this service's secret of the current round, unless it was not opened or is revealed already.
 * @param deadline until when to wait for the draw block, of `performance.now()`
 * @throws AppError CONFLICT when the block is not mined in time, the time to reveal is over, or another service opened the draw
 */
export async function revealOwnSecret(
  deps: CampaignDeps,
  ctx: Pick<RequestContext, "idempotencyKey">,
  campaign: number,
  deadline: number,
): Promise<void> {
  const current = await deps.campaigns.ledger.drawRoundOf(campaign);
  if (current.operator === null || current.operator.secret !== null) return;
  const secret = await deps.drawSecrets.find(campaign, current.round);
  const isOwn = secret !== null && commitmentOf(secret, current.operator.account) === current.operator.commitment;
  if (!isOwn) throw ruleConflict("draw-opened-here", "Another service opened the draw: it must reveal its secret.");
  await requireInTime(deps, current);
  await waitUntilDrawable(deps, ctx, campaign, deadline);
  await submitReveal(deps, ctx, campaign, { secret, round: current.round });
}

/** Send a secret to the chain; it is public from then on. */
export function submitReveal(
  deps: Pick<CampaignDeps, "chain" | "db" | "log">,
  ctx: Pick<RequestContext, "idempotencyKey">,
  campaign: number,
  { secret, round }: { secret: Hex; round?: number },
) {
  return submitCall(deps, ctx, {
    sender: "operator",
    contract: "campaigns",
    functionName: "reveal",
    args: [campaign, secret],
    purpose: "campaign.reveal",
    ...(round === undefined ? {} : { part: revealPart(round) }),
  });
}

const revealPart = (round: number) => `reveal:${round}`;

/** The hash that commits an account to a secret. */
export function commitmentOf(secret: Hex, account: Address): Hex {
  return keccak256(encodeAbiParameters(parseAbiParameters("bytes32, address"), [secret, account]));
}

/** @throws AppError CONFLICT when the time to reveal is over */
export async function requireInTime({ chain }: Pick<CampaignDeps, "chain">, { deadline }: DrawRound): Promise<void> {
  if (deadline === null || (await chain.now()) <= BigInt(deadline)) return;
  throw ruleConflict(
    "secrets-in-time",
    "The time to reveal the secrets is over: POST /v1/campaigns/{campaignId}/draw/repetition repeats the draw.",
  );
}

/**
 * Wait until the draw block is over and its hash in reach; set another block when it is out of reach. No secret may be sent
 * before: anyone who sees it could choose the block.
 */
export async function waitUntilDrawable(
  deps: Pick<CampaignDeps, "campaigns" | "chain" | "db" | "log">,
  ctx: Pick<RequestContext, "idempotencyKey">,
  campaign: number,
  deadline: number,
): Promise<void> {
  for (;;) {
    const { drawBlock } = await deps.campaigns.ledger.stateOf(campaign);
    if (drawBlock === null) throw new Error(`The draw of campaign ${campaign} has no block.`);
    await requireMined(deps.chain, drawBlock, deadline);
    if (!(await isBlockLost(deps.chain, campaign))) return;
    await submitCall(deps, ctx, {
      sender: "operator",
      contract: "campaigns",
      functionName: "postponeDraw",
      args: [campaign],
      purpose: "campaign.postpone_draw",
      part: `postpone:${drawBlock}`,
    });
  }
}

/** Whether the contract would postpone the draw, because the hash of its block is out of reach. */
async function isBlockLost(chain: Chain, campaign: number): Promise<boolean> {
  const from = chain.senders.operator.address;
  const data = encodeCall("campaigns", "postponeDraw", [campaign]);
  try {
    await simulate(chain, { from, to: chain.addresses.campaigns, data });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.details.some(({ rule }) => rule === "draw-block-lost")) return false;
    throw error;
  }
}

/** Of two campaigns that were committed at one moment, the later one waits. @throws AppError CONFLICT */
async function refuseEarlierSiblings(deps: CampaignDeps, row: CampaignRow): Promise<void> {
  if (row.status !== "committed") return;
  const siblings = await siblingsOf(deps, row);
  refuseOpenSiblings(siblings.filter((sibling) => sibling.row.campaign < row.campaign));
}

/** A campaign that an earlier attempt of the same idempotent request has drawn counts as undrawn. */
async function requireUndrawn(deps: CampaignDeps, ctx: RequestContext, row: CampaignRow): Promise<void> {
  if (row.status === "committed") return;
  if (row.status === "abandoned") throw statusConflict(`Campaign ${row.campaignId} is abandoned.`);
  const { round } = await deps.campaigns.ledger.drawRoundOf(row.campaign);
  if (await deps.chain.outbox.isStored(partKey(ctx.idempotencyKey, revealPart(round)))) return;
  const message = `Campaign ${row.campaignId} is drawn already.`;
  throw new AppError("CONFLICT", message, { details: [{ path: "status", rule: "drawn-once", message }] });
}

async function requireMined(chain: Chain, drawBlock: number, deadline: number): Promise<void> {
  if (await isPast(chain, drawBlock, deadline)) return;
  const message = `Block ${drawBlock}, whose hash draws the sample, has no successor yet; try again later.`;
  throw new AppError("CONFLICT", message, {
    details: [{ rule: "draw-block-mined", message }],
    headers: { "Retry-After": "5" },
  });
}

/** Whether the chain passes a block before `deadline` (of `performance.now()`). */
async function isPast(chain: Chain, block: number, deadline: number): Promise<boolean> {
  if ((await chain.latest()).number > block) return true;
  return new Promise((resolve) => {
    const end = (outcome: boolean) => {
      unsubscribe();
      clearTimeout(timer);
      resolve(outcome);
    };
    const unsubscribe = chain.head.subscribe((head) => head.number > block && end(true));
    const timer = setTimeout(() => end(false), Math.max(0, deadline - performance.now()));
  });
}
