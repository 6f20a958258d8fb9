import type { Actor, RequestContext, Scope } from "../../../platform/http/index.ts";
import type { RegistryDeps } from "../deps.ts";
import { notRegistered } from "../errors.ts";
import type { RegisteredHousehold } from "./store.ts";

export const WRITE_SCOPE = "households:write";
export const READ_SCOPE = "households:read";

/**
 * Find a household that the actor may see. `scope`: the one that an integrator needs.
 * @throws AppError NOT_FOUND, also for a household that the actor may not see
 */
export async function requireVisibleHousehold(
  deps: RegistryDeps,
  ctx: RequestContext,
  did: string,
  scope: Scope = READ_SCOPE,
): Promise<RegisteredHousehold> {
  const row = await deps.registry.households.byDid(did);
  if (!row || !(await seesHousehold(deps, ctx.actor, row, scope))) throw notRegistered("Household", did);
  return row;
}

/** Whether an actor may see a household. `scope`: the one that an integrator needs. */
export async function seesHousehold(
  deps: Pick<RegistryDeps, "registry" | "certificates">,
  actor: Actor,
  row: RegisteredHousehold,
  scope: Scope,
): Promise<boolean> {
  if (actor.role === "admin" || actor.role === "regulator" || actor.role === "evaluator") return true;
  if (actor.role === "integrator") {
    const { scopes, dids } = actor;
    const isOwn = dids === null || dids.includes(row.did) || dids.includes(row.registeredBy ?? "");
    return scopes.includes(scope) && isOwn;
  }
  if (actor.role !== "implementer" || actor.implementerDid === undefined) return false;
  if (row.registeredBy === actor.implementerDid) return true;
  const implementer = await deps.registry.implementers.byDid(actor.implementerDid);
  return implementer !== null && deps.certificates.serves(implementer.implementer, row.household);
}
