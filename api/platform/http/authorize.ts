import { AppError } from "../errors.ts";
import type { Actor, Role } from "./request-context.ts";
import type { Scope } from "./scopes.ts";

/** @throws AppError FORBIDDEN unless the actor has one of the roles; admin always passes. */
export function requireRole(actor: Actor, ...allowed: Role[]): void {
  if (actor.role === "admin" || allowed.includes(actor.role)) return;
  throw forbidden("role", `This needs the role ${allowed.join(" or ") || "admin"}.`);
}

/** Like requireRole; an integrator passes when its scopes list holds `scope`. */
export function requireRoleOrScope(actor: Actor, scope: Scope, ...allowed: Role[]): void {
  if (actor.role === "integrator") requireScope(actor, scope);
  else requireRole(actor, ...allowed);
}

/** @throws AppError FORBIDDEN when an integrator's key lacks the scope; other roles are not bound by scopes. */
export function requireScope(actor: Actor, scope: Scope): void {
  requireAnyScope(actor, [scope]);
}

/** Like requireScope, where each of several scopes does. */
export function requireAnyScope(actor: Actor, scopes: readonly Scope[]): void {
  if (actor.role !== "integrator" || scopes.some((scope) => actor.scopes.includes(scope))) return;
  throw forbidden("scope", `This key lacks the scope ${scopes.join(" or ")}.`);
}

/** @throws AppError FORBIDDEN unless the actor is that supplier, admin, or an integrator that may act for it. */
export function requireOwnSupplier(actor: Actor, supplierDid: string, scope?: Scope): void {
  requireOwn(actor, "supplier", actor.supplierDid, supplierDid, scope);
}

/** @throws AppError FORBIDDEN unless the actor is that implementer, admin, or an integrator that may act for it. */
export function requireOwnImplementer(actor: Actor, implementerDid: string, scope?: Scope): void {
  requireOwn(actor, "implementer", actor.implementerDid, implementerDid, scope);
}

function requireOwn(actor: Actor, role: Role, own: string | undefined, named: string, scope: Scope | undefined): void {
  if (actor.role === "admin") return;
  if (actor.role === "integrator") {
    if (scope !== undefined) requireScope(actor, scope);
    if (actor.dids === null || actor.dids.includes(named)) return;
  } else if (actor.role === role && own === named) return;
  throw forbidden("own-identity", `This key may not act for ${named}.`);
}

function forbidden(rule: string, message: string): AppError {
  return new AppError("FORBIDDEN", message, { details: [{ rule, message }] });
}
