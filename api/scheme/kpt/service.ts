import { decodeKptClaimId } from "../../../wire/src/ids.ts";
import { once, submitCall } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import { checkCaller, decodeCursor, type RequestContext, requireRole, toPage } from "../../platform/http/index.ts";
import { notFound } from "../claims/index.ts";
import { kptReaders, maySee, requireKnownCampaign } from "./access.ts";
import type { KptServiceDeps } from "./deps.ts";
import { noteRevoked, onChain } from "./finish.ts";
import type { CampaignClaimQuery, KptClaim } from "./schemas.ts";
import { serializeClaim } from "./serialize.ts";
import type { KptClaimRow } from "./tables.ts";

/** Check whether an id has the form of a KPT claim's id. */
export function isKptClaimId(claimId: string): boolean {
  return /^kpt-/i.test(claimId);
}

/**
 * Read a KPT claim.
 * @throws AppError FORBIDDEN if the actor can see no KPT claim; NOT_FOUND if it does not exist or the actor may not see it
 */
export async function getKptClaim(deps: KptServiceDeps, ctx: RequestContext, claimId: string): Promise<KptClaim> {
  checkCaller(ctx.actor, kptReaders);
  return serializeClaim(deps, await findClaim(deps, ctx, claimId));
}

/** Find a claim that the actor may see. @throws AppError NOT_FOUND */
export async function findClaim(deps: KptServiceDeps, ctx: RequestContext, claimId: string): Promise<KptClaimRow> {
  const { kpt } = deps;
  const decoded = decodeKptClaimId(claimId);
  if (!decoded.ok) {
    throw notFound(
      `claim ${claimId}`,
      decoded.reason === "checksum" ? " Its check symbol does not fit: was it mistyped?" : "",
    );
  }
  const stored = await kpt.store.byPlace(decoded.id);
  if (stored === null || !(await maySee(deps, ctx, stored.campaignId))) throw notFound(`claim ${claimId}`);
  const row = await kpt.current(stored);
  if (row.status !== "verified" && row.status !== "revoked") throw notFound(`claim ${claimId}`);
  return row;
}

/** Claims of a campaign, in the order of filing. @throws AppError NOT_FOUND when the actor may not see the campaign */
export async function listCampaignClaims(
  deps: KptServiceDeps,
  ctx: RequestContext,
  campaignId: string,
  query: CampaignClaimQuery,
): Promise<{ items: KptClaim[]; nextCursor: string | null }> {
  const { campaign } = await requireKnownCampaign(deps, ctx, campaignId);
  const after = Number(decodeCursor(query.cursor)?.[0] ?? 0);
  const { limit, testGroup, status } = query;
  const only = { after: Number.isSafeInteger(after) ? after : 0, limit: limit + 1, testGroup, status };
  const rows = await deps.kpt.store.list(campaign, only);
  const { items, nextCursor } = toPage(rows, limit, (row) => [row.sequence]);
  return { items: items.map((row) => serializeClaim(deps, row)), nextCursor };
}

/**
 * Revoke a claim on chain and in its credential's status list, and release its days.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when it is revoked already
 */
export async function revokeKptClaim(
  deps: KptServiceDeps,
  ctx: RequestContext,
  claimId: string,
  reason: string,
): Promise<KptClaim> {
  const { kpt } = deps;
  const found = await findClaim(deps, ctx, claimId);
  requireRole(ctx.actor, "evaluator", "regulator");
  await once(deps, ctx, async () => {
    if (found.status === "revoked") throw revokedAlready(claimId);
    const args = [onChain(found), reason] as const;
    const call = { contract: "campaigns", functionName: "revoke", args, purpose: "kpt.revoke" } as const;
    return await submitCall(deps, ctx, { sender: "evaluator", ...call });
  });
  deps.campaigns.noteChange(found.campaign);
  return serializeClaim(deps, found.status === "revoked" ? found : await noteRevoked(kpt, found, reason));
}

function revokedAlready(claimId: string): AppError {
  const message = `Claim ${claimId} is revoked already.`;
  return new AppError("CONFLICT", message, { details: [{ path: "id", rule: "claim-not-revoked", message }] });
}
