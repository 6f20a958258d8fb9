import { once, submitCall } from "../../../platform/chain/index.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { statusConflict } from "../../registry/index.ts";
import { requireOwnCampaign, requireVisibleCampaign } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import { dropReasons, groupNumber } from "../groups.ts";
import type { CampaignRow, Member } from "../model.ts";
import type { MissingPosition, NewReplacement } from "../schemas.ts";
import { didsByPlace, serializeMissing } from "../serialize-campaign.ts";
import { evidenceHashOf, requireSampled } from "./drop-checks.ts";

/**
 * End a drawn household's position as missing: neither measured nor replaced. It cannot be undone.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when the campaign or the household does not allow it, RULE_VIOLATION
 */
export async function markHouseholdMissing(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  input: NewReplacement,
): Promise<MissingPosition> {
  const { campaigns } = deps;
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  await requireOwnCampaign(deps, ctx, row);
  const { group, reason, note = null, evidence = null } = input;
  await once(deps, ctx, async () => {
    const { position } = await checkMissing(deps, row, input);
    await campaigns.store.savePendingMissing({
      campaign: row.campaign,
      group,
      position,
      reason,
      note,
      evidence,
      transactionHash: null,
      blockNumber: null,
    });
    return submitCall(deps, ctx, {
      sender: "operator",
      contract: "campaigns",
      functionName: "markMissing",
      args: [row.campaign, groupNumber[group], position, dropReasons.indexOf(reason), evidenceHashOf(evidence)],
      purpose: "campaign.missing",
    });
  });
  campaigns.noteChange(row.campaign);
  return shownMissing(deps, ctx, campaignId, input);
}

async function checkMissing(deps: CampaignDeps, row: CampaignRow, input: NewReplacement): Promise<Member> {
  if (row.status !== "drawn") {
    throw statusConflict(`Campaign ${row.campaignId} is ${row.status}; households go missing while it is drawn.`);
  }
  const member = await deps.campaigns.memberOf(row.campaign, input.householdId, input.group);
  return requireSampled(member, input, {
    outcome: "missing",
    ifMissing: "The household is marked as missing already.",
  });
}

async function shownMissing(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  { group, householdId }: NewReplacement,
): Promise<MissingPosition> {
  const { campaigns } = deps;
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  const sampled = await campaigns.sampleOf(row);
  const drawn = sampled.find((each) => each.group === group && each.did === householdId);
  const missing = await campaigns.store.missing(row.campaign);
  const found = missing.find((each) => each.group === group && each.position === drawn?.position);
  if (!found) throw new Error(`The missing household of campaign ${campaignId} is not on chain.`);
  return serializeMissing(found, didsByPlace(sampled));
}
