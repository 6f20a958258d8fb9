import type { RequestContext } from "../../../platform/http/index.ts";
import { requireVisibleCampaign } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import { type ResultDocument, readDocument } from "./document.ts";
import { drawResult } from "./plot/plot.ts";
import { committedTerms, type ResultRecord, recordNow, resultFrom } from "./record.ts";
import { serializeFigures } from "./response.ts";
import { resultCsv } from "./result-csv.ts";
import type { CampaignResultFigures, CampaignResultResponse } from "./schemas.ts";

/** A campaign with its result: the final one once it is closed, before that the preliminary one. */
type Known = { row: CampaignRow; record: ResultRecord; document: ResultDocument | null };

/** @throws AppError NOT_FOUND, also for a campaign that the actor may not see */
export async function getResult(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<CampaignResultResponse> {
  const { row, record, document } = await knownResult(deps, ctx, campaignId);
  const figures = document?.figures ?? serializeFigures(record, resultFrom(record));
  return serializeResult(deps, row, { figures, document });
}

/** The result as CSV. @throws AppError NOT_FOUND */
export async function getResultCsv(deps: CampaignDeps, ctx: RequestContext, campaignId: string): Promise<string> {
  const { record } = await knownResult(deps, ctx, campaignId);
  return resultCsv(campaignId, resultFrom(record));
}

/** The result as an SVG picture. @throws AppError NOT_FOUND */
export async function getResultPlot(deps: CampaignDeps, ctx: RequestContext, campaignId: string): Promise<string> {
  const { record, document } = await knownResult(deps, ctx, campaignId);
  return drawResult(resultFrom(record), { campaignId, isClosed: document !== null });
}

export async function serializeResult(
  deps: CampaignDeps,
  { campaign, status, resultHash, certificate }: CampaignRow,
  { figures, document }: { figures: CampaignResultFigures; document: ResultDocument | null },
): Promise<CampaignResultResponse> {
  const closing =
    resultHash === null
      ? null
      : {
          resultHash,
          file: document?.uri ?? null,
          ...(document === null ? nothingChanged : await changedSince(deps, campaign, document)),
          certificateId: certificate === null ? null : await certificateIdOf(deps, certificate),
          transactionHash: (await deps.campaigns.ledger.closeOf(campaign))?.transactionHash ?? null,
        };
  return { ...figures, status, closing };
}

const nothingChanged = { claimsRevokedSince: [], claimsNotCounted: [] };

/** What the standing claims and a closed result do not agree on: revoked since, or recorded in the very moment of the close. */
export async function changedSince(
  deps: CampaignDeps,
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

/** Read the final result of a closed campaign, or the preliminary result of another. @throws AppError NOT_FOUND, also for a campaign that the actor may not see */
export async function knownResult(deps: CampaignDeps, ctx: RequestContext, campaignId: string): Promise<Known> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  const document = row.resultHash === null ? null : await readDocument(deps, campaignId, row.resultHash);
  const record = document?.record ?? (await recordNow(deps, row, committedTerms(row)));
  return { row, record, document };
}

/** Public id of a certificate by its number. */
export async function certificateIdOf(deps: CampaignDeps, certificate: number): Promise<string | null> {
  return (await deps.certificates.byIndex(certificate))?.certificateId ?? null;
}
