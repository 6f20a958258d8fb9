import { AppError } from "../../platform/errors.ts";
import { type Actor, type Callers, type RequestContext, requireRole, scopeMissing } from "../../platform/http/index.ts";
import { type CampaignRow, campaignReaders, requireOwnCampaign, requireVisibleCampaign } from "../campaigns/index.ts";
import type { KptServiceDeps } from "./deps.ts";

/** Scopes of an integrator; either one permits filing. */
export const kptScopes = ["kpt:write", "claims:write"] as const;

/** Who may read some campaign's claims. */
export const kptReaders: Callers = {
  ...campaignReaders,
  scopes: [...new Set([...campaignReaders.scopes, ...kptScopes])],
};

/** Refuse actors that can never file, in any campaign. @throws AppError FORBIDDEN */
export function requireFiler(actor: Actor): void {
  if (actor.role !== "integrator") {
    requireRole(actor, "implementer", "evaluator");
    return;
  }
  if (kptScopes.some((scope) => actor.scopes.includes(scope))) return;
  throw scopeMissing(kptScopes);
}

/** Require the plan's implementer, an integrator that may act for it, an evaluator or admin. @throws AppError FORBIDDEN */
export async function requireMayFile(deps: KptServiceDeps, ctx: RequestContext, campaign: CampaignRow): Promise<void> {
  requireFiler(ctx.actor);
  if (ctx.actor.role === "evaluator") return;
  const scope = kptScopes.find((each) => ctx.actor.scopes.includes(each)) ?? kptScopes[0];
  await requireOwnCampaign(deps, ctx, campaign, scope);
}

/**
 * Find the campaign for an actor that may file its claims or see it.
 * @throws AppError NOT_FOUND, also for a campaign that the actor may not see
 */
export async function requireKnownCampaign(
  deps: KptServiceDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<CampaignRow> {
  const row = ctx.actor.role === "integrator" ? await deps.campaigns.byId(campaignId) : null;
  return row !== null && (await mayFile(deps, ctx, row)) ? row : await requireVisibleCampaign(deps, ctx, campaignId);
}

export async function mayFile(deps: KptServiceDeps, ctx: RequestContext, campaign: CampaignRow): Promise<boolean> {
  return await passes(() => requireMayFile(deps, ctx, campaign), "FORBIDDEN");
}

/** Check whether the actor may see a campaign's claims. */
export async function maySee(deps: KptServiceDeps, ctx: RequestContext, campaignId: string): Promise<boolean> {
  return await passes(() => requireKnownCampaign(deps, ctx, campaignId), "NOT_FOUND");
}

async function passes(check: () => Promise<unknown>, refusal: AppError["code"]): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === refusal) return false;
    throw error;
  }
}
