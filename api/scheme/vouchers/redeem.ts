import { encodeRedemptionId, encodeVoucherId } from "../../../wire/src/ids.ts";
import { isoTime, usedAuthorization } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import { type RequestContext, requireRoleOrScope } from "../../platform/http/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { forbiddenSupplier, redeemScope, requireMayAttest, requireSupplierKey } from "./access.ts";
import { consentIn, hasNonce } from "./consent.ts";
import type { VoucherDeps } from "./deps.ts";
import { withRoom } from "./limits.ts";
import { requirePin } from "./pin-consent.ts";
import { readVoucherId } from "./public-ids.ts";
import type { RedemptionOrder } from "./redemption-collector.ts";
import type { Consent, Redeemed, RedeemRequest } from "./schemas.ts";
import { dayOfSeconds, serializeVoucher } from "./serialize-voucher.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

/**
 * Redeem part of a voucher at a supplier. Requests that arrive together are settled in one transaction.
 * @throws AppError NOT_FOUND (voucher), FORBIDDEN (supplier unknown, suspended, or not the key's), CONFLICT (a used
 * household authorisation), RULE_VIOLATION with every broken rule
 */
export async function redeemVoucher(deps: VoucherDeps, ctx: RequestContext, input: RedeemRequest): Promise<Redeemed> {
  const { vouchers, registry } = deps;
  requireMayAttest(ctx, input.consent);
  const facts = await vouchers.ledger.factsOf(readVoucherId(input.voucherId));
  requireRoleOrScope(ctx.actor, redeemScope, "supplier");
  requireSupplierKey(ctx, input.supplierDid);
  const [supplier, product, opening] = await Promise.all([
    registry.suppliers.byDid(input.supplierDid),
    registry.products.byId(input.productId),
    vouchers.ledger.openingOf(facts),
  ]);
  if (supplier === null) throw forbiddenSupplier(`The supplier ${input.supplierDid} is not registered.`);
  const order: RedemptionOrder = {
    voucher: facts.id,
    supplier: supplier.supplier,
    // No product has index 0, so the ledger names this rule together with all the others.
    product: product?.product ?? 0,
    amount: input.amount,
    opening,
    consent: consentIn(input),
  };
  const settled = await settle(deps, ctx, facts, order, input.consent);
  const { expiryDay } = await vouchers.ledger.stateOf(facts);
  const state = { status: "active", remaining: settled.remaining, expiryDay } as const;
  return {
    redemptionId: encodeRedemptionId(settled.redemption),
    voucherId: encodeVoucherId(facts.id),
    supplierDid: input.supplierDid,
    productId: input.productId,
    amount: jsonAmount(input.amount),
    status: "pending_delivery",
    consent: settled.consent,
    redeemedAt: isoTime(settled.redeemedAt),
    claimDeadline: isoTime(BigInt(settled.deadline)),
    remainingBalance: jsonAmount(settled.remaining),
    transactionHash: settled.transactionHash,
    voucher: await serializeVoucher(deps, ctx, facts, state, dayOfSeconds(settled.redeemedAt)),
  };
}

async function settle(
  deps: VoucherDeps,
  ctx: RequestContext,
  facts: VoucherFacts,
  order: RedemptionOrder,
  consent: Consent | undefined,
) {
  try {
    return await deps.vouchers.redemptions.once(ctx.idempotencyKey, async () => {
      // Not checked when the request is repeated: its interrupted first attempt may have used the authorisation.
      await requirePin(deps, facts, consent, order);
      await refuseUsedAuthorization(deps, facts, order);
      return order;
    });
  } catch (error) {
    // Another request with the same authorisation may have been settled meanwhile.
    const unauthorised = error instanceof AppError && error.details.some(({ rule }) => rule === "household-authorised");
    if (unauthorised) await refuseUsedAuthorization(deps, facts, order);
    throw error instanceof AppError ? await withRoom(deps, facts, order, error) : error;
  }
}

/** Refuse an authorisation that was used before. @throws AppError CONFLICT */
async function refuseUsedAuthorization(deps: VoucherDeps, facts: VoucherFacts, order: RedemptionOrder): Promise<void> {
  if (order.consent === undefined || !hasNonce(order.consent)) return;
  const args = [facts.household, order.consent.nonce] as const;
  const first = await deps.chain.read("vouchers", "authorizationUsed", args);
  if (first === 0n) return;
  const message = usedAuthorization(first);
  const path = "householdAuthorization.nonce";
  throw new AppError("CONFLICT", message, { details: [{ path, rule: "authorization-unused", message }] });
}
