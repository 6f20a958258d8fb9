import { encodeCall, once, simulate, submitCall } from "../../../platform/chain/index.ts";
import { AppError } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { statusConflict } from "../../registry/index.ts";
import { requireOwnCampaign, requireVisibleCampaign } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import { dropReasons, groupNumber } from "../groups.ts";
import type { CampaignRow, Member } from "../model.ts";
import type { NewReplacement, Replacement } from "../schemas.ts";
import { didsByPlace, serializeReplacement } from "../serialize-campaign.ts";
import { evidenceHashOf, requireSampled } from "./drop-checks.ts";

/**
 * Drops a household from a sample and takes the next one of its group's draw order.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when campaign, household or frame do not allow it, RULE_VIOLATION
 */
export async function replaceHousehold(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  input: NewReplacement,
): Promise<Replacement> {
  const { campaigns } = deps;
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  await requireOwnCampaign(deps, ctx, row);
  const { group, householdId, reason, note = null, evidence = null } = input;
  await once(deps, ctx, async () => {
    const { position } = await checkReplacement(deps, row, input);
    if (row.terms.sampling?.paired !== undefined) await replaceInOtherGroup(deps, ctx, row, { input, position });
    const pending = { campaign: row.campaign, group, dropped: position, reason, note, evidence };
    await campaigns.store.savePendingReplacement({
      ...pending,
      replacement: null,
      transactionHash: null,
      blockNumber: null,
    });
    const mined = await submitCall(deps, ctx, {
      sender: "operator",
      contract: "campaigns",
      functionName: "replace",
      args: [row.campaign, groupNumber[group], position, dropReasons.indexOf(reason), evidenceHashOf(evidence)],
      purpose: "campaign.replace",
      reading: ({ name }) => (name === "PositionDropped" ? replacedBefore() : undefined),
    });
    await campaigns.store.saveNote(pending);
    return mined;
  });
  campaigns.noteChange(row.campaign);
  return shownReplacement(deps, ctx, campaignId, { group, householdId });
}

/**
 * Replace a pair in the other group, unless an interrupted attempt did. Nothing is sent if the chain would refuse either replacement.
 * @throws AppError CONFLICT when the household has a claim in either group
 */
async function replaceInOtherGroup(
  deps: CampaignDeps,
  ctx: RequestContext,
  row: CampaignRow,
  { input, position }: { input: NewReplacement; position: number },
): Promise<void> {
  const { campaigns } = deps;
  const { householdId, reason, note = null, evidence = null } = input;
  const group = input.group === "reference" ? "intervention" : "reference";
  const member = await campaigns.memberOf(row.campaign, householdId, group);
  if (member?.group !== group || member.status !== "sampled") return;
  for (const [each, place] of [
    [input.group, position],
    [group, member.position],
  ] as const) {
    const args = [
      row.campaign,
      groupNumber[each],
      place,
      dropReasons.indexOf(reason),
      evidenceHashOf(evidence),
    ] as const;
    const from = deps.chain.senders.operator.address;
    await simulate(deps.chain, {
      from,
      to: deps.chain.addresses.campaigns,
      data: encodeCall("campaigns", "replace", args),
    });
  }
  const pending = { campaign: row.campaign, group, dropped: member.position, reason, note, evidence } as const;
  await campaigns.store.savePendingReplacement({
    ...pending,
    replacement: null,
    transactionHash: null,
    blockNumber: null,
  });
  await submitCall(deps, ctx, {
    sender: "operator",
    contract: "campaigns",
    functionName: "replace",
    args: [row.campaign, groupNumber[group], member.position, dropReasons.indexOf(reason), evidenceHashOf(evidence)],
    purpose: "campaign.replace",
    part: "pair",
  });
  await campaigns.store.saveNote(pending);
  campaigns.noteChange(row.campaign);
}

async function checkReplacement(deps: CampaignDeps, row: CampaignRow, input: NewReplacement): Promise<Member> {
  if (row.status !== "drawn") {
    throw statusConflict(`Campaign ${row.campaignId} is ${row.status}; households are replaced while it is drawn.`);
  }
  const member = await deps.campaigns.memberOf(row.campaign, input.householdId, input.group);
  if (member?.status === "replaced" && member.group === input.group) throw replacedBefore();
  const sampled = requireSampled(member, input, {
    outcome: "replaced",
    ifMissing: "The household is marked as missing, which is final.",
  });
  await requireStratumLeft(deps, row, sampled);
  return sampled;
}

/** @throws AppError CONFLICT when every household of the position's stratum is drawn */
async function requireStratumLeft({ campaigns }: CampaignDeps, row: CampaignRow, { group, position }: Member) {
  const { strata } = row.terms.sampling ?? {};
  const drawn = await campaigns.strataOf(row, group);
  const index = drawn?.[position];
  const stratum = index === undefined ? undefined : strata?.[index];
  if (stratum === undefined || drawn === null) return;
  const { size } = stratum.frames[group];
  if (drawn.filter((each) => each === index).length < size) return;
  const message = `Stratum ${stratum.id} has ${size} households in the ${group} frame, and all are drawn.`;
  throw new AppError("CONFLICT", message, { details: [{ path: "householdId", rule: "frame-left", message }] });
}

function replacedBefore(): AppError {
  const message = "The household was replaced before.";
  return new AppError("CONFLICT", message, { details: [{ path: "householdId", rule: "replaced-once", message }] });
}

async function shownReplacement(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  { group, householdId }: Pick<NewReplacement, "group" | "householdId">,
): Promise<Replacement> {
  const { campaigns } = deps;
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  const sampled = await campaigns.sampleOf(row);
  const replaced = await campaigns.store.replacements(row.campaign);
  const dropped = sampled.find((each) => each.group === group && each.did === householdId);
  const found = replaced.find((each) => each.group === group && each.dropped === dropped?.position);
  if (!found) throw new Error(`The replacement of a household of campaign ${campaignId} is not on chain.`);
  return serializeReplacement(found, didsByPlace(sampled));
}
