import type { RequestContext } from "../../../platform/http/index.ts";
import { requireClose } from "../dataroom/close.ts";
import { openDataRoom, requireClosedCampaign } from "../dataroom/data-room.ts";
import type { CampaignDeps } from "../deps.ts";
import { drawDocumentOf } from "../draw/document.ts";
import { carriedFindings } from "../findings/service.ts";
import { writeReport } from "./report.ts";

/**
 * The monitoring report of a closed campaign as PDF.
 * @throws AppError NOT_FOUND, also for a campaign that the actor may not see; FORBIDDEN; CONFLICT unless it is closed
 */
export async function monitoringReport(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<{ bytes: Buffer; dataRoomHash: string }> {
  const { campaigns, registry } = deps;
  const closed = await requireClosedCampaign(deps, ctx, campaignId);
  const { row, document } = closed;
  const [room, draw, plan, implementer, amendments, replaced, missing, carried, close] = await Promise.all([
    openDataRoom(deps, closed),
    drawDocumentOf(deps, campaignId),
    registry.plans.termsOf(row.plan),
    registry.implementers.byIndex(row.implementer),
    campaigns.ledger.amendmentsOf(row.campaign),
    campaigns.store.replacements(row.campaign),
    campaigns.store.missing(row.campaign),
    carriedFindings(deps, row),
    requireClose(deps, row),
  ]);
  const bytes = await writeReport({
    room,
    row,
    figures: document.figures,
    planId: plan.planId,
    implementer: { did: implementer?.did ?? null, name: implementer?.name ?? null },
    draw,
    amendments,
    replaced,
    missing,
    carried,
    closedAt: close.at,
  });
  return { bytes, dataRoomHash: room.hash };
}
