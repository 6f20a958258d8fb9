import { type AppError, brokenRuleError, defineRules } from "../errors.ts";
import type { Actor, Role } from "./request-context.ts";
import type { Scope } from "./scopes.ts";

const broken = defineRules({
  "role-missing": ["role", "This needs the role {roles}."],
  "scope-missing": ["scope", "This key lacks the scope {scopes}."],
  "not-for-identity": ["own-identity", "This key may not act for {did}."],
});

/** Require one of the roles; admin always passes. @throws AppError FORBIDDEN */
export function requireRole(actor: Actor, ...allowed: Role[]): void {
  if (actor.role === "admin" || allowed.includes(actor.role)) return;
  throw brokenRuleError("FORBIDDEN", broken("role-missing", undefined, { roles: allowed.join(" or ") || "admin" }));
}

/** Require one of the roles, or an integrator with the scope. @throws AppError FORBIDDEN */
export function requireRoleOrScope(actor: Actor, scope: Scope, ...allowed: Role[]): void {
  if (actor.role === "integrator") requireScope(actor, scope);
  else requireRole(actor, ...allowed);
}

/** Require the scope of an integrator; other roles have no scopes and pass. @throws AppError FORBIDDEN */
export function requireScope(actor: Actor, scope: Scope): void {
  requireAnyScope(actor, [scope]);
}

/** Require one of the scopes of an integrator; other roles pass. @throws AppError FORBIDDEN */
export function requireAnyScope(actor: Actor, scopes: readonly Scope[]): void {
  if (actor.role !== "integrator" || scopes.some((scope) => actor.scopes.includes(scope))) return;
  throw scopeMissing(scopes);
}

/** Require that supplier, admin, or an integrator that may act for it. @throws AppError FORBIDDEN */
export function requireOwnSupplier(actor: Actor, supplierDid: string, scope?: Scope): void {
  requireOwn(actor, "supplier", actor.supplierDid, supplierDid, scope);
}

/** Require that implementer, admin, or an integrator that may act for it. @throws AppError FORBIDDEN */
export function requireOwnImplementer(actor: Actor, implementerDid: string, scope?: Scope): void {
  requireOwn(actor, "implementer", actor.implementerDid, implementerDid, scope);
}

function requireOwn(actor: Actor, role: Role, own: string | undefined, named: string, scope: Scope | undefined): void {
  if (actor.role === "admin") return;
  if (actor.role === "integrator") {
    if (scope !== undefined) requireScope(actor, scope);
    if (actor.dids === null || actor.dids.includes(named)) return;
  } else if (actor.role === role && own === named) return;
  throw notForIdentity(named);
}

/** Build the 403 for a key that has none of the scopes. */
export function scopeMissing(scopes: readonly Scope[]): AppError {
  return brokenRuleError("FORBIDDEN", broken("scope-missing", undefined, { scopes: scopes.join(" or ") }));
}

/** Build the 403 for a key that may not act for a DID. */
export function notForIdentity(did: string): AppError {
  return brokenRuleError("FORBIDDEN", broken("not-for-identity", undefined, { did }));
}
