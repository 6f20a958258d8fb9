import type { RequestContext } from "../../../platform/http/index.ts";
import { visibleImplementers } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import type { Group } from "../groups.ts";
import type { CampaignRow } from "../model.ts";
import { type DrawnPosition, drawnPositions } from "./positions.ts";

/** How far the visits of a place are. */
export type PlaceProgress = {
  /** Region of the households; null where none was given. */
  region: string | null;
  /** Households to measure: drawn, and neither replaced nor missing. */
  drawn: number;
  measured: number;
};

/** How far a drawn campaign is. */
export type CampaignProgress = {
  campaignId: string;
  endDate: string;
  drawn: number;
  measured: number;
  missing: number;
  regions: PlaceProgress[];
};

/** Reads when each drawn position of a campaign was first measured: seconds since 1970, by place (see `placeKey`). */
export type MeasuredAt = (campaign: number) => Promise<ReadonlyMap<string, bigint>>;

/** Key of a drawn position. */
export const placeKey = (group: Group | string, position: number): string => `${group}:${position}`;

/** Most campaigns that are read for an overview, newest first. */
const mostCampaigns = 5;

/** Read the drawn campaigns that the caller may see: how many households are measured, in total and by region. */
export async function campaignProgress(
  deps: Pick<CampaignDeps, "campaigns" | "registry">,
  ctx: RequestContext,
  measuredAt: MeasuredAt,
): Promise<{ row: CampaignRow; progress: CampaignProgress }[]> {
  const visible = await visibleImplementers(deps, ctx);
  if (visible?.length === 0) return [];
  const rows = await deps.campaigns.newestDrawn(mostCampaigns, visible);
  return await Promise.all(rows.map(async (row) => ({ row, progress: await progressOf(deps, row, measuredAt) })));
}

async function progressOf(
  deps: Pick<CampaignDeps, "campaigns" | "registry">,
  row: CampaignRow,
  measuredAt: MeasuredAt,
): Promise<CampaignProgress> {
  const measured = await measuredAt(row.campaign);
  const drawn = await drawnPositions(deps, row, (group, position) => measured.has(placeKey(group, position)));
  const wanted = drawn.filter(({ ended }) => ended === "measured" || ended === "open");
  const households = await deps.registry.households.byDids(wanted.map(({ did }) => did));
  const byRegion = Map.groupBy(wanted, ({ did }) => households.get(did)?.region ?? null);
  const regions = [...byRegion].map(([region, places]) => ({
    region,
    drawn: places.length,
    measured: countOf(places, "measured"),
  }));
  return {
    campaignId: row.campaignId,
    endDate: row.endDate,
    drawn: wanted.length,
    measured: countOf(wanted, "measured"),
    missing: countOf(drawn, "missing"),
    regions: regions.sort((a, b) => (a.region ?? "").localeCompare(b.region ?? "", "en")),
  };
}

const countOf = (places: DrawnPosition[], end: DrawnPosition["ended"]) =>
  places.filter(({ ended }) => ended === end).length;
