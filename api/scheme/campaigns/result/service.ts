import type { Hex } from "viem";
import type { ServiceContext } from "../../../platform/http/context.ts";
import { requireVisibleCampaign } from "../access.ts";
import type { CampaignRow } from "../model.ts";
import { answerResult } from "./answer.ts";
import { type ResultDocument, readDocument } from "./document.ts";
import { drawResult } from "./plot.ts";
import { committedTerms, type ResultRecord, recordNow, resultFrom } from "./record.ts";
import { resultCsv } from "./result-csv.ts";
import type { CampaignResultAnswer, CampaignResultFigures } from "./schemas.ts";

/** A campaign with the result that holds: the one that was closed, or what its claims tell so far. */
type Known = { row: CampaignRow; record: ResultRecord; document: ResultDocument | null };

/** @throws AppError NOT_FOUND, also for a campaign that the actor may not see */
export async function getResult(ctx: ServiceContext, campaignId: string): Promise<CampaignResultAnswer> {
  const { row, record, document } = await knownResult(ctx, campaignId);
  const figures = document?.figures ?? answerResult(record, resultFrom(record));
  return showResult(ctx, row, { figures, document });
}

/** The result as CSV. @throws AppError NOT_FOUND */
export async function getResultCsv(ctx: ServiceContext, campaignId: string): Promise<string> {
  const { record } = await knownResult(ctx, campaignId);
  return resultCsv(campaignId, resultFrom(record));
}

/** The result as an SVG picture. @throws AppError NOT_FOUND */
export async function getResultPlot(ctx: ServiceContext, campaignId: string): Promise<string> {
  const { record, document } = await knownResult(ctx, campaignId);
  return drawResult(resultFrom(record), { campaignId, isClosed: document !== null });
}

export async function showResult(
  ctx: ServiceContext,
  { campaign, status, resultHash, certificate }: CampaignRow,
  { figures, document }: { figures: CampaignResultFigures; document: ResultDocument | null },
): Promise<CampaignResultAnswer> {
  const closing =
    resultHash === null
      ? null
      : {
          resultHash,
          file: document?.uri ?? null,
          ...(document === null ? nothingChanged : await changedSince(ctx, campaign, document)),
          certificateId: certificate === null ? null : await certificateIdOf(ctx, certificate),
          ...(await closedBy(ctx, campaign)),
        };
  return { ...figures, status, closing };
}

const nothingChanged = { claimsRevokedSince: [], claimsNotCounted: [] };

/** What the standing claims and a closed result do not agree on: revoked since, or recorded in the very moment of the close. */
export async function changedSince(
  { deps }: ServiceContext,
  campaign: number,
  { record }: ResultDocument,
): Promise<{ claimsRevokedSince: string[]; claimsNotCounted: string[] }> {
  const standing = (await deps.kpt.verifiedClaims(campaign)).map(({ id }) => id);
  const [stands, counts] = [new Set(standing), new Set(record.claims.map(({ id }) => id))];
  return {
    claimsRevokedSince: record.claims.flatMap(({ id }) => (stands.has(id) ? [] : [id])),
    claimsNotCounted: standing.filter((id) => !counts.has(id)),
  };
}

async function knownResult(ctx: ServiceContext, campaignId: string): Promise<Known> {
  const row = await requireVisibleCampaign(ctx, campaignId);
  const document = row.resultHash === null ? null : await readDocument(ctx.deps, campaignId, row.resultHash);
  const record = document?.record ?? (await recordNow(ctx, row, committedTerms(row)));
  return { row, record, document };
}

async function closedBy({ deps }: ServiceContext, campaign: number): Promise<{ transactionHash: Hex | null }> {
  const [event] = await deps.chain.past("campaigns", "CampaignClosed", { campaign });
  return { transactionHash: event?.transactionHash ?? null };
}

async function certificateIdOf({ deps }: ServiceContext, certificate: number): Promise<string | null> {
  return (await deps.registry.certificates.byIndex(certificate))?.certificateId ?? null;
}
