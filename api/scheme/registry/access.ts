import { AppError } from "../../platform/errors.ts";
import { type Actor, type Role, requireRoleOrScope, type Scope } from "../../platform/http/index.ts";

/**
 * Require one of the roles, or an integrator with the scope whose list of DIDs, if it has one, contains the DID.
 * @throws AppError FORBIDDEN
 */
export function requireMayWrite(
  actor: Actor,
  { scope, roles, did }: { scope: Scope; roles: Role[]; did?: string },
): void {
  requireRoleOrScope(actor, scope, ...roles);
  if (actor.role !== "integrator" || actor.dids === null || (did !== undefined && actor.dids.includes(did))) return;
  const message =
    did === undefined ? "This key may act only for the DIDs it lists." : `This key may not act for ${did}.`;
  throw new AppError("FORBIDDEN", message, { details: [{ rule: "own-identity", message }] });
}
