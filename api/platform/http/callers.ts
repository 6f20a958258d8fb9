import type { MiddlewareHandler } from "hono";
import { requireAnyScope, requireRole } from "./authorize.ts";
import type { AppEnv } from "./context.ts";
import { type Actor, type Role, roles } from "./request-context.ts";
import type { Scope } from "./scopes.ts";

/**
 * Who may call a route at all, whichever record it names: admin, these roles, and integrators whose key has one of the scopes.
 * What a caller may do with a certain record is for the service to say.
 */
export type Callers = { roles: readonly Role[]; scopes: readonly Scope[] };

const otherRoles = roles.filter((role) => role !== "admin" && role !== "integrator");

/** Whoever has a key, or a session. */
export const everyKey: Callers = { roles: [...otherRoles, "integrator"], scopes: [] };

/** These roles, and integrators with one of the scopes. Without any: admins alone. */
export function onlyFor(allowed: readonly Role[], ...scopes: Scope[]): Callers {
  return { roles: allowed, scopes };
}

/** Every role, but integrators only with one of the scopes. */
export function everyRole(...scopes: Scope[]): Callers {
  return onlyFor(otherRoles, ...scopes);
}

/** @throws AppError FORBIDDEN for who may never call the route */
export function checkCaller(actor: Actor, { roles, scopes }: Callers): void {
  if (actor.role === "integrator" && scopes.length > 0) requireAnyScope(actor, scopes);
  else requireRole(actor, ...roles);
}

/** Refuses who may never call the route, before its request is read: the answer tells nothing of any record. */
export function requireCaller(callers: Callers): MiddlewareHandler<AppEnv> {
  return async function requireCaller(c, next) {
    checkCaller(c.get("actor"), callers);
    await next();
  };
}

/** The same for the API's document. */
export function describeCallers({ roles, scopes }: Callers) {
  const integrators = scopes.length === 0 ? {} : { integratorScopes: scopes };
  return { "x-callers": { roles: ["admin", ...roles], ...integrators } };
}
