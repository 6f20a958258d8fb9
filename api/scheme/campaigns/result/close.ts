import { dayOf, partKey, submitCall } from "../../../platform/chain/index.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { statusConflict } from "../../registry/index.ts";
import { requireOwnCampaign, requireVisibleCampaign } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import { openUsagePositions, surveyStateOf } from "../usage/survey.ts";
import { keepDocument, writeDocument } from "./document.ts";
import { withDeviceList } from "./inputs/device-list.ts";
import type { EmissionsTerms } from "./inputs/emissions-terms.ts";
import { committedTerms, type ResultRecord, recordNow } from "./record.ts";
import type { CampaignResultResponse, CloseCampaign } from "./schemas.ts";
import { getResult } from "./service.ts";

const part = "close";

/**
 * Close a campaign: its result is kept as a file of the scheme and its SHA-256 written on chain; no claim is recorded afterwards.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT unless it is drawn, over and complete, RULE_VIOLATION for each given term
 */
export async function closeCampaign(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  { emissions = {} }: CloseCampaign,
): Promise<CampaignResultResponse> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  await requireOwnCampaign(deps, ctx, row);
  refuseTerms(emissions);
  if (row.status === "drawn") await close(deps, ctx, row, committedTerms(row));
  else await requireOwnAttempt(deps, ctx, row);
  return getResult(deps, ctx, campaignId);
}

async function close(deps: CampaignDeps, ctx: RequestContext, row: CampaignRow, terms: EmissionsTerms): Promise<void> {
  await requireEnded(deps, row);
  const record = await withDeviceList(deps, row, await countedRecord(deps, row, terms));
  const document = writeDocument(record);
  // Before the chain: a result of which only the hash is left could never be read.
  await keepDocument(deps, row.campaignId, document);
  await submitCall(deps, ctx, {
    sender: "operator",
    contract: "campaigns",
    functionName: "close",
    args: [row.campaign, document.hash],
    purpose: "campaign.close",
    part,
  });
  deps.campaigns.noteChange(row.campaign);
}

/** Terms that are given after the data could be chosen by the result. */
function refuseTerms(given: Record<string, unknown>): void {
  refuseBrokenRules(
    Object.keys(given).map((name) => {
      const message = `The close takes no term: ${name} is committed before the draw.`;
      return { path: `emissions.${name}`, rule: "terms-committed", message };
    }),
  );
}

/** @throws AppError CONFLICT while the period lasts, or a drawn household is neither measured nor replaced nor missing */
async function requireEnded(deps: CampaignDeps, row: CampaignRow): Promise<void> {
  const { campaigns, chain } = deps;
  const details: RuleDetail[] = [];
  if ((dayOf(row.endDate) ?? 0) >= Number((await chain.now()) / 86_400n)) {
    const message = `The last day of the test period, ${row.endDate}, is not over yet.`;
    details.push({ path: "testPeriod.endDate", rule: "period-over", message });
  }
  const { openPositions } = await campaigns.ledger.stateOf(row.campaign);
  if (openPositions > 0) {
    const message = `${openPositions} drawn households are neither measured nor replaced nor marked as missing.`;
    details.push({ path: "openPositions", rule: "sample-complete", message });
  }
  const openDevices = openUsagePositions((await surveyStateOf(deps, row))?.cohorts ?? []);
  if (openDevices > 0) {
    const message = `${openDevices} drawn devices of the usage survey are neither surveyed nor marked as missing.`;
    details.push({ path: "usageSurvey", rule: "usage-survey-complete", message });
  }
  if (details[0]) throw new AppError("CONFLICT", details[0].message, { details });
}

/** Record exactly the claims that are on chain and not revoked. @throws AppError CONFLICT while a claim is being filed */
async function countedRecord(deps: CampaignDeps, row: CampaignRow, terms: EmissionsTerms): Promise<ResultRecord> {
  const record = await recordNow(deps, row, terms);
  const onChain = await deps.campaigns.ledger.stateOf(row.campaign);
  for (const group of ["reference", "intervention"] as const) {
    const counted = record.claims.filter((claim) => claim.group === group).length;
    if (counted === onChain.claims[group]) continue;
    const message = `The chain has ${onChain.claims[group]} claims of the ${group} group, ${counted} are known here: some are on their way; try again.`;
    throw new AppError("CONFLICT", message, {
      details: [{ rule: "claims-settled", message }],
      headers: { "Retry-After": "2" },
    });
  }
  return record;
}

/** A campaign that an earlier attempt of the same idempotent request closed is as good as open. */
async function requireOwnAttempt(deps: CampaignDeps, ctx: RequestContext, row: CampaignRow): Promise<void> {
  if (row.status === "closed" && (await deps.chain.outbox.isStored(partKey(ctx.idempotencyKey, part)))) return;
  throw statusConflict(
    row.status === "closed"
      ? "The campaign is closed already."
      : "The campaign is not drawn yet; nothing was measured.",
  );
}
