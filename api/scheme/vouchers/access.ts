import { AppError } from "../../platform/errors.ts";
import { requireOwnImplementer, requireOwnSupplier, requireRole } from "../../platform/http/authorize.ts";
import type { ServiceContext } from "../../platform/http/context.ts";
import type { Scope } from "../../platform/http/scopes.ts";
import { redemptionNotFound, voucherNotFound } from "./public-ids.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

export const issueScope = "vouchers:issue";
export const redeemScope = "vouchers:redeem";
/** To say that a household gave its PIN. */
export const attestPinScope = "vouchers:attest-pin";
export const manageScope = "vouchers:manage";
export const readScope = "vouchers:read";
const voucherScopes = [issueScope, redeemScope, manageScope, readScope];

/** DID of the implementer that a certificate belongs to. */
export async function implementerOfCertificate(ctx: ServiceContext, index: number): Promise<string> {
  const { certificates, implementers } = ctx.deps.registry;
  const certificate = await certificates.byIndex(index);
  const implementer = certificate && (await implementers.byIndex(certificate.implementer));
  return implementer?.did ?? "";
}

/** `whole`: the voucher and whose it is. `redeeming`: what a supplier needs to redeem it, and not whose it is. */
export type VoucherView = "whole" | "redeeming" | "none";

/** What of a voucher the key may see. */
export async function viewOfVoucher(ctx: ServiceContext, facts: VoucherFacts): Promise<VoucherView> {
  const { actor } = ctx;
  if (actor.role === "supplier") return "redeeming";
  if (actor.role === "implementer") return (await isOwner(ctx, facts)) ? "whole" : "none";
  if (actor.role !== "integrator") return "whole";
  const mayOwn = [readScope, issueScope, manageScope].some((scope) => actor.scopes.includes(scope));
  if (mayOwn && (await isOwner(ctx, facts))) return "whole";
  return actor.scopes.includes(redeemScope) && (await actsForSupplier(ctx)) ? "redeeming" : "none";
}

/** @throws AppError NOT_FOUND when the key may not see the voucher */
export async function requireMaySeeVoucher(ctx: ServiceContext, facts: VoucherFacts): Promise<void> {
  if ((await viewOfVoucher(ctx, facts)) === "none") throw voucherNotFound();
}

/** Numbers of the suppliers that the key acts for; undefined for all. */
export async function ownSuppliers({ actor, deps }: ServiceContext): Promise<number[] | undefined> {
  const dids = actor.role === "supplier" ? [actor.supplierDid ?? ""] : actor.dids;
  if ((actor.role !== "supplier" && actor.role !== "integrator") || dids === null) return undefined;
  const rows = await Promise.all(dids.map((did) => deps.registry.suppliers.byDid(did)));
  return rows.flatMap((row) => (row === null ? [] : [row.supplier]));
}

async function actsForSupplier(ctx: ServiceContext): Promise<boolean> {
  return (await ownSuppliers(ctx))?.length !== 0;
}

/** Whether the key acts for the certificate's implementer or the household. */
async function isOwner(ctx: ServiceContext, facts: VoucherFacts): Promise<boolean> {
  const { actor, deps } = ctx;
  const implementer = await implementerOfCertificate(ctx, facts.certificate);
  if (actor.role === "implementer") return implementer === actor.implementerDid;
  if (actor.dids === null || actor.dids.includes(implementer)) return true;
  const household = await deps.registry.households.byIndex(facts.household);
  return household !== null && actor.dids.includes(household.did);
}

/** @throws AppError NOT_FOUND when the key may not see the redemption */
export async function requireMaySeeRedemption(
  ctx: ServiceContext,
  { supplierDid, facts }: { supplierDid: string; facts: VoucherFacts },
): Promise<void> {
  const { actor } = ctx;
  const isSuppliers =
    actor.role === "supplier"
      ? actor.supplierDid === supplierDid
      : actor.role === "integrator" &&
        voucherScopes.some((scope) => actor.scopes.includes(scope)) &&
        (actor.dids === null || actor.dids.includes(supplierDid));
  if (!isSuppliers && (await viewOfVoucher(ctx, facts)) !== "whole") throw redemptionNotFound();
}

/** @throws AppError FORBIDDEN unless the key acts for the certificate's implementer */
export async function requireOwnCertificate(ctx: ServiceContext, certificate: number, scope: Scope): Promise<void> {
  requireOwnImplementer(ctx.actor, await implementerOfCertificate(ctx, certificate), scope);
}

/** @throws AppError FORBIDDEN unless the key acts for the supplier */
export function requireSupplierKey(ctx: ServiceContext, supplierDid: string): void {
  requireOwnSupplier(ctx.actor, supplierDid, redeemScope);
}

/** @throws AppError FORBIDDEN unless the key may suspend, reactivate or flag */
export function requireSupervisor(ctx: ServiceContext): "registrar" | "evaluator" {
  requireRole(ctx.actor, "regulator", "evaluator");
  return ctx.actor.role === "evaluator" ? "evaluator" : "registrar";
}

export function forbiddenSupplier(message: string): AppError {
  return new AppError("FORBIDDEN", message, {
    details: [{ path: "supplierDid", rule: "supplier-authorised", message }],
  });
}
