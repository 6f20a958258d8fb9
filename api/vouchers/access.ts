import { AppError } from "../errors.ts";
import { requireOwnImplementer, requireOwnSupplier, requireRole } from "../http/authorize.ts";
import type { ServiceContext } from "../http/context.ts";
import { redemptionNotFound, voucherNotFound } from "./public-ids.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

export const issueScope = "vouchers:issue";
export const redeemScope = "vouchers:redeem";
export const manageScope = "vouchers:manage";
export const readScope = "vouchers:read";

/** DID of the implementer that a certificate belongs to. */
export async function implementerOfCertificate(ctx: ServiceContext, index: number): Promise<string> {
  const { certificates, implementers } = ctx.deps.registry;
  const certificate = await certificates.byIndex(index);
  const implementer = certificate && (await implementers.byIndex(certificate.implementer));
  return implementer?.did ?? "";
}

/** @throws AppError NOT_FOUND when the key may not see the voucher */
export async function requireMaySeeVoucher(ctx: ServiceContext, facts: VoucherFacts): Promise<void> {
  if (!(await maySeeVoucher(ctx, facts))) throw voucherNotFound();
}

async function maySeeVoucher(ctx: ServiceContext, facts: VoucherFacts): Promise<boolean> {
  const { actor } = ctx;
  if (actor.role === "implementer") return await isOwner(ctx, facts);
  if (actor.role !== "integrator") return true;
  if (!actor.scopes.some((scope) => scope.startsWith("vouchers:"))) return false;
  // A key that redeems for a supplier reads vouchers as the supplier does.
  return actor.scopes.includes(redeemScope) || (await isOwner(ctx, facts));
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
  if (actor.role === "supplier" ? actor.supplierDid === supplierDid : actor.role !== "integrator") {
    if (actor.role === "supplier" || (await maySeeVoucher(ctx, facts))) return;
  } else if (actor.role === "integrator" && actor.scopes.some((scope) => scope.startsWith("vouchers:"))) {
    if (actor.dids === null || actor.dids.includes(supplierDid) || (await isOwner(ctx, facts))) return;
  }
  throw redemptionNotFound();
}

/** @throws AppError FORBIDDEN unless the key acts for the certificate's implementer */
export async function requireOwnCertificate(ctx: ServiceContext, certificate: number, scope: string): Promise<void> {
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
