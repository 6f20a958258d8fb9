import { decodeCursor, foreignCursor, type RequestContext, toPage } from "../../../platform/http/index.ts";
import { requireVisibleCampaign } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import { type Group, groups } from "../groups.ts";
import type { CampaignRow } from "../model.ts";
import type { CampaignPositionQuery, CampaignPositionResponse, StratumState } from "../schemas.ts";
import type { SampledRow } from "../store.ts";
import type { MissingRow, ReplacementRow } from "../tables.ts";

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
  const stratumAt = await stratumNames(deps, row);
  const drawn = await drawnPositions(deps, row, (group, position) => claimIds.has(placeOf(group, position)));
  const wanted = groups
    .filter((group) => (query.group ?? group) === group)
    .flatMap((group) => drawn.filter((each) => each.group === group))
    .filter(({ ended }) => (query.ended ?? ended) === ended);
  const rows = wanted.slice(startOf(wanted, query.cursor));
  const { items, nextCursor } = toPage(rows, query.limit, ({ group, position }) => [group, position]);
  return {
    items: items.map((each) =>
      serialize(each, {
        claimIds: claimIds.get(placeOf(each.group, each.position)) ?? [],
        stratum: stratumAt(each.group, each.position),
      }),
    ),
    nextCursor,
  };
}

/** Make the function that names the stratum of a drawn position; null without strata. */
async function stratumNames(
  { campaigns }: Pick<CampaignDeps, "campaigns">,
  row: CampaignRow,
): Promise<(group: Group, position: number) => string | null> {
  const { strata } = row.terms.sampling ?? {};
  if (strata === undefined || row.orderSeed === null) return () => null;
  const reference = await campaigns.strataOf(row, "reference");
  const intervention = await campaigns.strataOf(row, "intervention");
  const at = { reference, intervention };
  return (group, position) => strata[at[group]?.[position] ?? -1]?.id ?? null;
}

/** Count how the drawn positions of each stratum ended, by group; null where the sample has no strata. */
export async function strataStates(
  deps: Pick<CampaignDeps, "campaigns" | "kpt">,
  row: CampaignRow,
): Promise<Record<Group, StratumState[]> | null> {
  const { strata } = row.terms.sampling ?? {};
  if (strata === undefined) return null;
  const claimIds = row.orderSeed === null ? new Map<string, string[]>() : await claimsByPlace(deps, row);
  const drawn = await drawnPositions(deps, row, (group, position) => claimIds.has(placeOf(group, position)));
  const stratumAt = await stratumNames(deps, row);
  const statesOf = (group: Group) =>
    strata.map(({ id, sampleSize, frames }): StratumState => {
      const own = drawn.filter((each) => each.group === group && stratumAt(group, each.position) === id);
      const count = (end: DrawnPosition["ended"]) => own.filter(({ ended }) => ended === end).length;
      return {
        id,
        frameSize: frames[group].size,
        sampleSize,
        drawn: own.length,
        claims: own.reduce((sum, { position }) => sum + (claimIds.get(placeOf(group, position))?.length ?? 0), 0),
        measured: count("measured"),
        missing: count("missing"),
        open: count("open"),
      };
    });
  return { reference: statesOf("reference"), intervention: statesOf("intervention") };
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

function serialize(
  drawn: DrawnPosition,
  { claimIds, stratum }: { claimIds: string[]; stratum: string | null },
): CampaignPositionResponse {
  const { group, position, did, ended, drop } = drawn;
  return {
    group,
    position,
    householdId: did === "" ? null : did,
    stratum,
    ended,
    replacedBy: replacedBy(drawn),
    reason: drop?.reason ?? null,
    evidence: drop?.evidence ?? null,
    claimIds,
  };
}

const placeOf = (group: Group, position: number) => `${group}:${position}`;
