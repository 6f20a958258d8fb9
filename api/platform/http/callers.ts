import type { MiddlewareHandler } from "hono";
import { requireAnyScope, requireRole } from "./authorize.ts";
import type { AppEnv } from "./context.ts";
import { type Actor, type Role, roles } from "./request-context.ts";
import type { Scope } from "./scopes.ts";

/**
 * Who may call a route, for any record: admin, these roles, and integrators whose key has one of the scopes. The service decides
 * what a caller may do with a certain record.
 */
export type Callers = { roles: readonly Role[]; scopes: readonly Scope[] };

const otherRoles = roles.filter((role) => role !== "admin" && role !== "integrator");

/** Anyone with a key or a session. */
export const everyKey: Callers = { roles: [...otherRoles, "integrator"], scopes: [] };

/** Allow these roles, and integrators with one of the scopes. Without roles and scopes: only admins. */
export function onlyFor(allowed: readonly Role[], ...scopes: Scope[]): Callers {
  return { roles: allowed, scopes };
}

/** Allow every role, but integrators only with one of the scopes. */
export function everyRole(...scopes: Scope[]): Callers {
  return onlyFor(otherRoles, ...scopes);
}

/** Check that the actor may call the route. @throws AppError FORBIDDEN */
export function checkCaller(actor: Actor, { roles, scopes }: Callers): void {
  if (actor.role === "integrator" && scopes.length > 0) requireAnyScope(actor, scopes);
  else requireRole(actor, ...roles);
}

/** Refuse callers without access to the route before reading the request, so that the response reveals nothing of any record. */
export function requireCaller(callers: Callers): MiddlewareHandler<AppEnv> {
  return async function requireCaller(c, next) {
    checkCaller(c.get("actor"), callers);
    await next();
  };
}

/** Describe the callers in the OpenAPI document. */
export function describeCallers({ roles, scopes }: Callers) {
  const integrators = scopes.length === 0 ? {} : { integratorScopes: scopes };
  return { "x-callers": { roles: ["admin", ...roles], ...integrators } };
}
