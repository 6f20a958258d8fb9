import { AppError } from "../../platform/errors.ts";
import {
  everyRole,
  type RequestContext,
  requireOwnImplementer,
  requireOwnSupplier,
  requireRole,
  requireRoleOrScope,
  type Scope,
} from "../../platform/http/index.ts";
import type { VoucherDeps } from "./deps.ts";
import { redemptionNotFound, voucherNotFound } from "./public-ids.ts";
import type { Consent } from "./schemas.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

export const issueScope = "vouchers:issue";
export const redeemScope = "vouchers:redeem";
/** Allows attesting that a household gave its PIN. */
export const attestPinScope = "vouchers:attest-pin";
/** Allows reading a household's next one-time code, to send it to the household's phone. */
export const sendCodesScope = "vouchers:send-codes";
export const manageScope = "vouchers:manage";
export const readScope = "vouchers:read";
/** Who may read some voucher and some redemption, by id. */
export const voucherReaders = everyRole(readScope, issueScope, manageScope, redeemScope);

/** Find the DID of the implementer that owns a certificate. */
export async function implementerOfCertificate(deps: VoucherDeps, index: number): Promise<string> {
  const certificate = await deps.certificates.byIndex(index);
  const implementer = certificate && (await deps.registry.implementers.byIndex(certificate.implementer));
  return implementer?.did ?? "";
}

/** `whole`: the voucher with its household. `redeeming`: what a supplier needs to redeem it, without the household. */
export type VoucherView = "whole" | "redeeming" | "none";

/** Decide which view of a voucher the key may see. */
export async function viewOfVoucher(deps: VoucherDeps, ctx: RequestContext, facts: VoucherFacts): Promise<VoucherView> {
  const { actor } = ctx;
  if (actor.role === "supplier") return "redeeming";
  if (actor.role === "implementer") return (await isOwner(deps, ctx, facts)) ? "whole" : "none";
  if (actor.role !== "integrator") return "whole";
  const mayOwn = [readScope, issueScope, manageScope].some((scope) => actor.scopes.includes(scope));
  if (mayOwn && (await isOwner(deps, ctx, facts))) return "whole";
  return (await seesToRedeem(deps, ctx)) ? "redeeming" : "none";
}

/** Whether the key sees any voucher or card as a supplier does: it is a supplier's, or redeems for one. */
export async function seesToRedeem(deps: VoucherDeps, ctx: RequestContext): Promise<boolean> {
  const { role, scopes } = ctx.actor;
  if (role !== "integrator") return role === "supplier";
  return scopes.includes(redeemScope) && (await actsForSupplier(deps, ctx));
}

/** Require a key that may see the voucher. @throws AppError NOT_FOUND */
export async function requireMaySeeVoucher(deps: VoucherDeps, ctx: RequestContext, facts: VoucherFacts): Promise<void> {
  if ((await viewOfVoucher(deps, ctx, facts)) === "none") throw voucherNotFound();
}

/** List the indexes of the suppliers that the key acts for; undefined for all. */
export async function ownSuppliers(deps: VoucherDeps, { actor }: RequestContext): Promise<number[] | undefined> {
  const dids = actor.role === "supplier" ? [actor.supplierDid ?? ""] : actor.dids;
  if ((actor.role !== "supplier" && actor.role !== "integrator") || dids === null) return undefined;
  const rows = await Promise.all(dids.map((did) => deps.registry.suppliers.byDid(did)));
  return rows.flatMap((row) => (row === null ? [] : [row.supplier]));
}

async function actsForSupplier(deps: VoucherDeps, ctx: RequestContext): Promise<boolean> {
  return (await ownSuppliers(deps, ctx))?.length !== 0;
}

/** Whether the key acts for the certificate's implementer or the household. */
async function isOwner(deps: VoucherDeps, ctx: RequestContext, facts: VoucherFacts): Promise<boolean> {
  const { actor } = ctx;
  const implementer = await implementerOfCertificate(deps, facts.certificate);
  if (actor.role === "implementer") return implementer === actor.implementerDid;
  if (actor.dids === null || actor.dids.includes(implementer)) return true;
  const household = await deps.registry.households.byIndex(facts.household);
  return household !== null && actor.dids.includes(household.did);
}

/** Require a key that acts for the certificate's implementer or the household. @throws AppError NOT_FOUND */
export async function requireOwnVoucher(deps: VoucherDeps, ctx: RequestContext, facts: VoucherFacts): Promise<void> {
  if (!(await isOwner(deps, ctx, facts))) throw voucherNotFound();
}

/** Require a key that may see the redemption. @throws AppError NOT_FOUND */
export async function requireMaySeeRedemption(
  deps: VoucherDeps,
  ctx: RequestContext,
  { supplierDid, facts }: { supplierDid: string; facts: VoucherFacts },
): Promise<void> {
  const { actor } = ctx;
  const isSuppliers =
    actor.role === "supplier"
      ? actor.supplierDid === supplierDid
      : actor.role === "integrator" &&
        voucherReaders.scopes.some((scope) => actor.scopes.includes(scope)) &&
        (actor.dids === null || actor.dids.includes(supplierDid));
  if (!isSuppliers && (await viewOfVoucher(deps, ctx, facts)) !== "whole") throw redemptionNotFound();
}

/** Require a key that acts for the certificate's implementer. @throws AppError FORBIDDEN */
export async function requireOwnCertificate(
  deps: VoucherDeps,
  ctx: RequestContext,
  certificate: number,
  scope: Scope,
): Promise<void> {
  requireOwnImplementer(ctx.actor, await implementerOfCertificate(deps, certificate), scope);
}

/** Require a key that acts for the supplier. @throws AppError FORBIDDEN */
export function requireSupplierKey(ctx: RequestContext, supplierDid: string): void {
  requireOwnSupplier(ctx.actor, supplierDid, redeemScope);
}

/** Require a key that may suspend, reactivate or flag. @throws AppError FORBIDDEN */
export function requireSupervisor(ctx: RequestContext): "registrar" | "evaluator" {
  requireRole(ctx.actor, "regulator", "evaluator");
  return ctx.actor.role === "evaluator" ? "evaluator" : "registrar";
}

export function forbiddenSupplier(message: string): AppError {
  return new AppError("FORBIDDEN", message, {
    details: [{ path: "supplierDid", rule: "supplier-authorised", message }],
  });
}

/**
 * Require a key that may attest PINs, if the consent is a PIN without a card: this service records that attestation on
 * chain. With a card, the service checks the PIN itself.
 * @throws AppError FORBIDDEN
 */
export function requireMayAttest(ctx: RequestContext, consent: Consent | undefined): void {
  if (consent?.type === "pin" && consent.card === undefined) requireRoleOrScope(ctx.actor, attestPinScope);
}
