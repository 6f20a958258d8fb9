import {
  onlyFor,
  type RequestContext,
  requireOwnImplementer,
  requireRoleOrScope,
  type Scope,
} from "../../platform/http/index.ts";
import { notRegistered } from "../registry/index.ts";
import type { CampaignDeps } from "./deps.ts";
import type { CampaignRow } from "./model.ts";

export const READ_SCOPE = "campaigns:read";
export const WRITE_SCOPE = "campaigns:write";
/** Who may read some campaign. */
export const campaignReaders = onlyFor(["implementer", "evaluator", "regulator"], READ_SCOPE, WRITE_SCOPE);

/** Dependencies of the access rules. */
type AccessDeps = Pick<CampaignDeps, "campaigns" | "registry">;

/**
 * Find a campaign for an actor that may see it: admin, regulator, evaluator, its plan's implementer, or an integrator for that one.
 * @throws AppError NOT_FOUND, also for a campaign that the actor may not see
 */
export async function requireVisibleCampaign(
  deps: AccessDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<CampaignRow> {
  const row = await deps.campaigns.byId(campaignId);
  if (!row || !(await maySee(deps, ctx, row))) throw notRegistered("Campaign", campaignId);
  return row;
}

/**
 * Require an actor that may change the campaign: admin, regulator, its plan's implementer, or an integrator for it with the scope.
 * @throws AppError FORBIDDEN
 */
export async function requireOwnCampaign(
  deps: AccessDeps,
  ctx: RequestContext,
  row: CampaignRow,
  scope: Scope = WRITE_SCOPE,
): Promise<void> {
  requireRoleOrScope(ctx.actor, scope, "regulator", "implementer");
  if (ctx.actor.role === "regulator") return;
  requireOwnImplementer(ctx.actor, (await implementerDidOf(deps, row.implementer)) ?? "", scope);
}

/** List the numbers of the implementers whose campaigns the actor may see; undefined for all. */
export async function visibleImplementers(deps: AccessDeps, ctx: RequestContext): Promise<number[] | undefined> {
  const { actor } = ctx;
  if (seesAll(actor.role)) return undefined;
  if (actor.role === "integrator" && hasScope(ctx) && actor.dids === null) return undefined;
  const rows = await Promise.all(didsOf(ctx).map((did) => deps.registry.implementers.byDid(did)));
  return rows.flatMap((row) => (row ? [row.implementer] : []));
}

function didsOf(ctx: RequestContext): string[] {
  const { role, implementerDid, dids } = ctx.actor;
  if (role === "implementer") return implementerDid === undefined ? [] : [implementerDid];
  return role === "integrator" && hasScope(ctx) ? (dids ?? []) : [];
}

export async function implementerDidOf(deps: AccessDeps, implementer: number): Promise<string | null> {
  return (await deps.registry.implementers.byIndex(implementer))?.did ?? null;
}

async function maySee(deps: AccessDeps, ctx: RequestContext, row: CampaignRow): Promise<boolean> {
  const visible = await visibleImplementers(deps, ctx);
  return visible === undefined || visible.includes(row.implementer);
}

function seesAll(role: string): boolean {
  return role === "admin" || role === "regulator" || role === "evaluator";
}

function hasScope({ actor }: RequestContext): boolean {
  return campaignReaders.scopes.some((scope) => actor.scopes.includes(scope));
}
