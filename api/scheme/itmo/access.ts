import { type Actor, requireOwnImplementer, requireRole, requireRoleOrScope } from "../../platform/http/index.ts";
import type { ItmoDeps } from "./deps.ts";

/** Scope to convert for the implementers that an integrator's key lists. */
export const CONVERT_SCOPE = "itmo:convert";
/** Scope to record and read settlements. */
export const SETTLE_SCOPE = "itmo:settle";

/** Require the regulator or admin. @throws AppError FORBIDDEN */
export function requireRegulator(actor: Actor): void {
  requireRole(actor, "regulator");
}

/**
 * Require the implementer, an integrator with the scope that may act for it, or admin.
 * @throws AppError FORBIDDEN
 */
export function requireImplementer(actor: Actor, implementerDid: string): void {
  requireRoleOrScope(actor, CONVERT_SCOPE, "implementer");
  requireOwnImplementer(actor, implementerDid, CONVERT_SCOPE);
}

/**
 * Require an actor that may record and read a conversion's settlements: its implementer, the regulator, admin, or an integrator
 * with the scope that may act for the implementer.
 * @throws AppError FORBIDDEN
 */
export function requireSettler(actor: Actor, implementerDid: string): void {
  requireRoleOrScope(actor, SETTLE_SCOPE, "implementer", "regulator");
  if (actor.role !== "regulator") requireOwnImplementer(actor, implementerDid, SETTLE_SCOPE);
}

export async function implementerDidOf(deps: ItmoDeps, implementer: number): Promise<string> {
  return (await deps.registry.implementers.byIndex(implementer))?.did ?? "";
}
