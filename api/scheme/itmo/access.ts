import { type Actor, requireOwnImplementer, requireRole, requireRoleOrScope } from "../../platform/http/index.ts";
import type { ItmoDeps } from "./deps.ts";

/** Scope of an integrator that converts for the implementers that its key lists. */
export const CONVERT_SCOPE = "itmo:convert";
/** Scope of an integrator that records settlements, and reads them. */
export const SETTLE_SCOPE = "itmo:settle";

/** @throws AppError FORBIDDEN unless the actor is the regulator, or admin */
export function requireRegulator(actor: Actor): void {
  requireRole(actor, "regulator");
}

/**
 * The actor is the implementer, an integrator with the scope that may act for it, or admin.
 * @throws AppError FORBIDDEN
 */
export function requireImplementer(actor: Actor, implementerDid: string): void {
  requireRoleOrScope(actor, CONVERT_SCOPE, "implementer");
  requireOwnImplementer(actor, implementerDid, CONVERT_SCOPE);
}

/**
 * The actor may record and read settlements of a conversion: its implementer, the regulator, admin, or an integrator
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
