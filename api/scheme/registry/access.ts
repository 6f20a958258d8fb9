import { brokenRuleError, defineRules } from "../../platform/errors.ts";
import { type Actor, notForIdentity, type Role, requireRoleOrScope, type Scope } from "../../platform/http/index.ts";

const broken = defineRules({
  "only-listed-identities": ["own-identity", "This key may act only for the DIDs it lists."],
});

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
  throw did === undefined
    ? brokenRuleError("FORBIDDEN", broken("only-listed-identities", undefined))
    : notForIdentity(did);
}
