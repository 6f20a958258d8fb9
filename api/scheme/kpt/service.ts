import { decodeKptClaimId } from "../../../wire/src/ids.ts";
import { submitCall } from "../../platform/chain/submit.ts";
import { AppError } from "../../platform/errors.ts";
import { requireRole } from "../../platform/http/authorize.ts";
import type { ServiceContext } from "../../platform/http/context.ts";
import { decodeCursor, toPage } from "../../platform/http/pagination.ts";
import { notFound } from "../claims/facts.ts";
import { once } from "../registry/resumption.ts";
import { maySee, requireKnownCampaign } from "./access.ts";
import { noteRevoked, onChain } from "./finish.ts";
import type { CampaignClaimQuery, KptClaim } from "./schemas.ts";
import { showClaim } from "./show.ts";
import type { KptClaimRow } from "./tables.ts";

/** Whether a claim's id is one of a KPT claim, by its form. */
export function isKptClaimId(claimId: string): boolean {
  return /^kpt-/i.test(claimId);
}

/** @throws AppError NOT_FOUND when there is none, or the actor may not see it */
export async function getKptClaim(ctx: ServiceContext, claimId: string): Promise<KptClaim> {
  return showClaim(ctx.deps, await findClaim(ctx, claimId));
}

async function findClaim(ctx: ServiceContext, claimId: string): Promise<KptClaimRow> {
  const { kpt } = ctx.deps;
  const decoded = decodeKptClaimId(claimId);
  if (!decoded.ok) {
    throw notFound(
      `claim ${claimId}`,
      decoded.reason === "checksum" ? " Its check symbol does not fit: was it mistyped?" : "",
    );
  }
  const stored = await kpt.store.byPlace(decoded.id);
  if (stored === null || !(await maySee(ctx, stored.campaignId))) throw notFound(`claim ${claimId}`);
  const row = await kpt.current(stored);
  if (row.status !== "verified" && row.status !== "revoked") throw notFound(`claim ${claimId}`);
  return row;
}

/** Claims of a campaign, in the order of filing. @throws AppError NOT_FOUND when the actor may not see the campaign */
export async function listCampaignClaims(
  ctx: ServiceContext,
  campaignId: string,
  query: CampaignClaimQuery,
): Promise<{ items: KptClaim[]; nextCursor: string | null }> {
  const { campaign } = await requireKnownCampaign(ctx, campaignId);
  const after = Number(decodeCursor(query.cursor)?.[0] ?? 0);
  const { limit, testGroup, status } = query;
  const only = { after: Number.isSafeInteger(after) ? after : 0, limit: limit + 1, testGroup, status };
  const rows = await ctx.deps.kpt.store.list(campaign, only);
  const { items, nextCursor } = toPage(rows, limit, (row) => [row.sequence]);
  return { items: items.map((row) => showClaim(ctx.deps, row)), nextCursor };
}

/**
 * Take a claim back: on chain, in its credential's status list, and its days are free again.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when it is revoked already
 */
export async function revokeKptClaim(ctx: ServiceContext, claimId: string, reason: string): Promise<KptClaim> {
  const { kpt } = ctx.deps;
  const found = await findClaim(ctx, claimId);
  requireRole(ctx.actor, "evaluator", "regulator");
  await once(ctx, async () => {
    if (found.status === "revoked") throw revokedAlready(claimId);
    const args = [onChain(found), reason] as const;
    const call = { contract: "campaigns", functionName: "revoke", args, purpose: "kpt.revoke" } as const;
    return await submitCall(ctx, { sender: "evaluator", ...call });
  });
  ctx.deps.campaigns.noteChange(found.campaign);
  return showClaim(ctx.deps, found.status === "revoked" ? found : await noteRevoked(kpt, found, reason));
}

function revokedAlready(claimId: string): AppError {
  const message = `Claim ${claimId} is revoked already.`;
  return new AppError("CONFLICT", message, { details: [{ path: "id", rule: "claim-not-revoked", message }] });
}
