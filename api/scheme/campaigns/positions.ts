import { decodeCursor, foreignCursor, type RequestContext, toPage } from "../../platform/http/index.ts";
import { requireVisibleCampaign } from "./access.ts";
import type { CampaignDeps } from "./deps.ts";
import { type Group, groups } from "./groups.ts";
import type { CampaignRow } from "./model.ts";
import type { CampaignPositionQuery, CampaignPositionResponse } from "./schemas.ts";
import type { SampledRow } from "./store.ts";
import type { MissingRow, ReplacementRow } from "./tables.ts";

/** A drawn position, and how it ended: with a claim that stands, replaced, missing, or not yet. */
export type DrawnPosition = SampledRow & {
  ended: "measured" | "replaced" | "missing" | "open";
  /** Why it was replaced or is missing. */
  drop: ReplacementRow | MissingRow | null;
};

/**
 * Read the drawn positions of a campaign, each group's in the order of the draw.
 * @param isMeasured whether a claim counts for the position
 */
export async function drawnPositions(
  { campaigns }: Pick<CampaignDeps, "campaigns">,
  row: CampaignRow,
  isMeasured: (group: Group, position: number) => boolean,
): Promise<DrawnPosition[]> {
  const [sampled, replaced, missing] = await Promise.all([
    campaigns.sampleOf(row),
    campaigns.store.replacements(row.campaign),
    campaigns.store.missing(row.campaign),
  ]);
  const replacedAt = new Map(replaced.map((each) => [placeOf(each.group, each.dropped), each]));
  const missingAt = new Map(missing.map((each) => [placeOf(each.group, each.position), each]));
  return sampled.map((each): DrawnPosition => {
    const { group, position, isReplaced, isMissing } = each;
    if (!isReplaced && !isMissing) {
      return { ...each, ended: isMeasured(group, position) ? "measured" : "open", drop: null };
    }
    const place = placeOf(group, position);
    const drop = isReplaced ? replacedAt.get(place) : missingAt.get(place);
    if (drop === undefined)
      throw new Error(`Position ${position} of the ${group} group was dropped, but no record says why.`);
    return { ...each, ended: isReplaced ? "replaced" : "missing", drop };
  });
}

/** Position that takes the place of a replaced one. */
export function replacedBy({ drop }: DrawnPosition): number | null {
  return drop !== null && "replacement" in drop ? drop.replacement : null;
}

/** List the drawn positions of a campaign; none before the draw. @throws AppError NOT_FOUND */
export async function listPositions(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  query: CampaignPositionQuery,
): Promise<{ items: CampaignPositionResponse[]; nextCursor: string | null }> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  const claimIds = await claimsByPlace(deps, row);
  const drawn = await drawnPositions(deps, row, (group, position) => claimIds.has(placeOf(group, position)));
  const wanted = groups
    .filter((group) => (query.group ?? group) === group)
    .flatMap((group) => drawn.filter((each) => each.group === group))
    .filter(({ ended }) => (query.ended ?? ended) === ended);
  const rows = wanted.slice(startOf(wanted, query.cursor));
  const { items, nextCursor } = toPage(rows, query.limit, ({ group, position }) => [group, position]);
  return {
    items: items.map((each) => serialize(each, claimIds.get(placeOf(each.group, each.position)) ?? [])),
    nextCursor,
  };
}

async function claimsByPlace(
  { kpt }: Pick<CampaignDeps, "kpt">,
  { campaign }: CampaignRow,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { id, group, position } of await kpt.verifiedClaims(campaign)) {
    const place = placeOf(group, position);
    found.set(place, [...(found.get(place) ?? []), id].sort());
  }
  return found;
}

/** Index of the first position after a cursor. */
function startOf(positions: readonly DrawnPosition[], cursor: string | undefined): number {
  const after = decodeCursor(cursor, 2);
  if (after === undefined) return 0;
  const [group, position] = after;
  const number = groups.indexOf(group as Group);
  if (number === -1 || typeof position !== "number") throw foreignCursor();
  const at = positions.findIndex((each) => {
    const of = groups.indexOf(each.group);
    return of > number || (of === number && each.position > position);
  });
  return at === -1 ? positions.length : at;
}

function serialize(drawn: DrawnPosition, claimIds: string[]): CampaignPositionResponse {
  const { group, position, did, ended, drop } = drawn;
  return {
    group,
    position,
    householdId: did === "" ? null : did,
    ended,
    replacedBy: replacedBy(drawn),
    reason: drop?.reason ?? null,
    evidence: drop?.evidence ?? null,
    claimIds,
  };
}

const placeOf = (group: Group, position: number) => `${group}:${position}`;
