import { type Address, isAddressEqual } from "viem";
import { drawParty } from "../../../../wire/src/typed-data.ts";
import { isSignedBy, once, submitCall } from "../../../platform/chain/index.ts";
import { type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { ruleConflict, statusConflict } from "../../registry/index.ts";
import { requireOwnCampaign, requireVisibleCampaign } from "../access.ts";
import { readRound } from "../beacon/beacon.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import type { CampaignResponse, NewDrawParty } from "../schemas.ts";
import { serializeCampaign } from "../serialize-campaign.ts";
import { serviceAccountsOf } from "../service-accounts.ts";
import { commitmentOf, requireInTime, submitReveal, waitUntilDrawable } from "./draw.ts";

/**
 * Send a second party's signed commitment to the chain, before the draw is opened.
 * @throws AppError NOT_FOUND, CONFLICT once the draw is open or has a second party, RULE_VIOLATION naming every broken rule
 */
export async function joinDraw(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  input: NewDrawParty,
): Promise<CampaignResponse> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  const { account, commitment, deadline, signature } = input;
  await once(deps, ctx, async () => {
    requireCommitted(row);
    const { round } = await deps.campaigns.ledger.drawRoundOf(row.campaign);
    await checkParty(deps, { row, round }, input);
    return submitCall(deps, ctx, {
      sender: "operator",
      contract: "campaigns",
      functionName: "joinDrawFor",
      args: [row.campaign, account, commitment, BigInt(deadline), signature as `0x${string}`],
      purpose: "campaign.join_draw",
    });
  });
  deps.campaigns.noteChange(row.campaign);
  return serializeCampaign(deps, await requireVisibleCampaign(deps, ctx, campaignId));
}

async function checkParty(
  { chain }: CampaignDeps,
  { row: { campaign, terms }, round }: { row: CampaignRow; round: number },
  { account, commitment, deadline, signature }: NewDrawParty,
): Promise<void> {
  const broken: RuleDetail[] = [];
  if (serviceAccountsOf(chain).some((own) => isAddressEqual(own, account))) {
    const message = "This service signs with that account: it cannot be a second party.";
    broken.push({ path: "account", rule: "party-independent", message });
  }
  const committed = terms.sampling?.secondParty;
  if (committed !== undefined && !isAddressEqual(committed as Address, account)) {
    const message = `The terms commit ${committed} as the second party.`;
    broken.push({ path: "account", rule: "party-committed", message });
  }
  if ((await chain.now()) > BigInt(deadline)) {
    broken.push({ path: "deadline", rule: "deadline-ahead", message: "The deadline of the signature is over." });
  }
  const contract = { chainId: chain.id, verifyingContract: chain.addresses.campaigns };
  const typedData = drawParty(contract, { campaign, round, commitment, deadline });
  if (!(await isSignedBy(chain.client, account, { typedData, signature: signature as `0x${string}` }))) {
    const message = `The account did not sign this commitment for round ${round} of the draw of campaign ${campaign}.`;
    broken.push({ path: "signature", rule: "party-signed", message });
  }
  refuseBrokenRules(broken);
}

/**
 * Reveal a party's secret after the draw block. The last secret draws the samples.
 * @throws AppError NOT_FOUND, CONFLICT when the draw is not open or the time is over, RULE_VIOLATION for a secret that nobody committed
 */
export async function revealSecret(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  { secret }: { secret: `0x${string}` },
): Promise<CampaignResponse> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  await once(deps, ctx, async () => {
    requireCommitted(row);
    const current = await deps.campaigns.ledger.drawRoundOf(row.campaign);
    if (current.operator === null)
      throw ruleConflict("draw-open", "The draw is not open: keep the secret to yourself.");
    await requireInTime(deps, current);
    const parties = [current.operator, current.secondParty];
    const party = parties.find((each) => each !== null && each.commitment === commitmentOf(secret, each.account));
    if (!party) {
      const message = "No party of this draw committed to that secret.";
      refuseBrokenRules([{ path: "secret", rule: "secret-committed", message }]);
    }
    await waitUntilDrawable(deps, ctx, row.campaign, performance.now() + deps.config.chain.txWaitMs);
    return submitReveal(deps, { idempotencyKey: ctx.idempotencyKey }, row.campaign, { secret });
  });
  deps.campaigns.noteChange(row.campaign);
  await readRound(deps, await requireVisibleCampaign(deps, ctx, campaignId));
  return serializeCampaign(deps, await requireVisibleCampaign(deps, ctx, campaignId));
}

/**
 * End a round of a draw in which a secret was not revealed within a day: its party is named on chain, and both parties commit again.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT while there is time to reveal
 */
export async function repeatDraw(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<CampaignResponse> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  await requireOwnCampaign(deps, ctx, row);
  await once(deps, ctx, async () => {
    requireCommitted(row);
    return submitCall(deps, ctx, {
      sender: "operator",
      contract: "campaigns",
      functionName: "repeatDraw",
      args: [row.campaign],
      purpose: "campaign.repeat_draw",
    });
  });
  deps.campaigns.noteChange(row.campaign);
  return serializeCampaign(deps, await requireVisibleCampaign(deps, ctx, campaignId));
}

function requireCommitted({ campaignId, status }: CampaignRow): void {
  if (status !== "committed") throw statusConflict(`Campaign ${campaignId} is ${status} already.`);
}
