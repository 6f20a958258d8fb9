import { randomUUID } from "node:crypto";
import { maxUint96 } from "viem";
import { encodeRedemptionId, encodeVoucherId } from "../../../../wire/src/ids.ts";
import { isoTime, usedAuthorization } from "../../../platform/chain/index.ts";
import { AppError, type RuleDetail } from "../../../platform/errors.ts";
import { actedBy, type RequestContext, requireRoleOrScope } from "../../../platform/http/index.ts";
import { jsonAmount } from "../../../platform/values/numbers.ts";
import { forbiddenSupplier, redeemScope, requireMayAttest, requireSupplierKey } from "../access.ts";
import { settleOrder } from "../actors/store.ts";
import { consentOf, hasNonce, isCode } from "../consent/consent.ts";
import { pinProblems } from "../consent/pin-consent.ts";
import type { VoucherDeps } from "../deps.ts";
import { withRoom } from "../limits.ts";
import { readVoucherId } from "../public-ids.ts";
import type { Redeemed, RedeemRequest } from "../schemas.ts";
import { dayOfSeconds, serializeVoucher } from "../serialize-voucher.ts";
import type { VoucherFacts } from "../voucher-ledger.ts";
import { type RedemptionOrder, refusalOf } from "./collector.ts";

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
    consent: await consentOf(deps, facts, input),
    acting: { ...actedBy(ctx.actor), at: deps.clock.now() },
  };
  const settled = await settle(deps, ctx, facts, order, input);
  const redemptionId = encodeRedemptionId(settled.redemption);
  const { consent, transactionHash, position } = settled;
  await settleOrder(deps.db, { transaction: transactionHash, position }, { redemptionId, consent });
  const { expiryDay } = await vouchers.ledger.stateOf(facts);
  const state = { status: "active", remaining: settled.remaining, expiryDay } as const;
  return {
    redemptionId,
    voucherId: encodeVoucherId(facts.id),
    supplierDid: input.supplierDid,
    productId: input.productId,
    amount: jsonAmount(input.amount),
    status: "pending_delivery",
    consent,
    redeemedAt: isoTime(settled.redeemedAt),
    claimDeadline: isoTime(BigInt(settled.deadline)),
    remainingBalance: jsonAmount(settled.remaining),
    transactionHash,
    voucher: await serializeVoucher(deps, ctx, facts, state, dayOfSeconds(settled.redeemedAt)),
  };
}

async function settle(
  deps: VoucherDeps,
  ctx: RequestContext,
  facts: VoucherFacts,
  order: RedemptionOrder,
  input: Pick<RedeemRequest, "consent" | "acceptedOffline">,
) {
  const offline = offlineOrderOf(ctx, facts, order, input.acceptedOffline);
  try {
    return await deps.vouchers.redemptions.once(ctx.idempotencyKey, async () => {
      if (input.consent?.type === "pin" && input.consent.repeat === true) throw nothingSent();
      // Not checked when the request is repeated: its interrupted first attempt may have used the authorisation.
      const broken = await pinProblems(deps, ctx, facts, input.consent);
      if (offline !== undefined) broken.push(...(await deps.offlineOrders.take(offline)));
      await refuseWithLedger(deps, order, broken);
      await refuseUsedAuthorization(deps, facts, order);
      return order;
    });
  } catch (error) {
    // Of any other error the order may still be settled, so it stays counted.
    if (offline !== undefined && error instanceof AppError && error.details.length > 0)
      await deps.offlineOrders.giveBack(offline.orderKey);
    // Another request with the same authorisation may have been settled meanwhile.
    const unauthorised = error instanceof AppError && error.details.some(({ rule }) => rule === "household-authorised");
    if (unauthorised) await refuseUsedAuthorization(deps, facts, order);
    throw error instanceof AppError ? withUnknownCode(order, await withRoom(deps, facts, order, error)) : error;
  }
}

/** The order as one that a till accepted without a network. */
function offlineOrderOf(
  { actor, idempotencyKey }: RequestContext,
  { household }: VoucherFacts,
  { amount }: RedemptionOrder,
  acceptedOffline: string | undefined,
) {
  if (acceptedOffline === undefined) return undefined;
  const orderKey = `${actor.keyId} ${idempotencyKey ?? randomUUID()}`;
  return { orderKey, household, amount, acceptedAt: new Date(acceptedOffline) };
}

/** Refuse an order that breaks rules of the service, and name those of the ledger too. @throws AppError RULE_VIOLATION */
async function refuseWithLedger(deps: VoucherDeps, order: RedemptionOrder, broken: RuleDetail[]): Promise<void> {
  if (broken.length === 0) return;
  const refusal = await refusalOf(deps.chain, order);
  if (refusal !== null && refusal.code !== "RULE_VIOLATION") throw refusal;
  const details = [...(refusal?.details ?? []), ...broken];
  throw new AppError("RULE_VIOLATION", "The request breaks the rules of the scheme.", { details });
}

function nothingSent(): AppError {
  const message = "No earlier request with this Idempotency-Key was sent to the chain.";
  const details = [{ path: "consent.repeat", rule: "sent-before", message }];
  return new AppError("RULE_VIOLATION", message, { details });
}

/** Refuse an authorisation that was used before. @throws AppError CONFLICT */
async function refuseUsedAuthorization(deps: VoucherDeps, facts: VoucherFacts, order: RedemptionOrder): Promise<void> {
  if (order.consent === undefined || !hasNonce(order.consent)) return;
  const args = [facts.household, order.consent.nonce] as const;
  const first = await deps.chain.read("vouchers", "authorizationUsed", args);
  if (first === 0n) return;
  if (isCode(order.consent)) throw usedCode(first);
  const message = usedAuthorization(first);
  const path = "householdAuthorization.nonce";
  throw new AppError("CONFLICT", message, { details: [{ path, rule: "authorization-unused", message }] });
}

/** The refusal of a code that was used before, by this order or by another. */
function usedCode(redemption: bigint): AppError {
  const first = encodeRedemptionId(redemption);
  const message =
    redemption === maxUint96
      ? "The household has cancelled this code. Take another code of its paper."
      : `This code was used for redemption ${first}. Take the next code of the household's paper.`;
  return new AppError("CONFLICT", message, { details: [{ path: "consent.nonce", rule: "code-unused", message }] });
}

/** Say of a refused code that it is not one of this voucher's, where the service found none. */
function withUnknownCode({ consent }: RedemptionOrder, refusal: AppError): AppError {
  const isRefused = refusal.details.some(({ rule }) => rule === "household-authorised");
  if (consent === undefined || !isCode(consent) || consent.proof.length > 0 || !isRefused) return refusal;
  const message = "This is not a code of the voucher's household. Use the paper that belongs to this voucher.";
  const unknown = { path: "consent", rule: "code-known", message };
  return new AppError(refusal.code, refusal.message, { details: [...refusal.details, unknown] });
}
