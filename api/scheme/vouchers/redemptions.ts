import { consentLevel } from "../../../indexer/schema/consent-words.ts";
import { encodeRedemptionId, encodeVoucherId, voucherOfRedemption } from "../../../wire/src/ids.ts";
import type { ServiceContext } from "../../platform/http/context.ts";
import { jsonAmount } from "../../platform/http/numbers.ts";
import { requireMaySeeRedemption } from "./access.ts";
import { readRedemptionId } from "./public-ids.ts";
import { isoTime } from "./redeem.ts";
import type { RedemptionState } from "./redemption-ledger.ts";
import type { RedemptionRecord } from "./schemas.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

export type FoundRedemption = { state: RedemptionState; facts: VoucherFacts; supplierDid: string };

/** A redemption that the key may see. @throws AppError NOT_FOUND */
export async function findRedemption(ctx: ServiceContext, publicId: string): Promise<FoundRedemption> {
  const { vouchers, registry } = ctx.deps;
  const id = readRedemptionId(publicId);
  const state = await vouchers.redemptionLedger.stateOf(id);
  const [facts, supplier] = await Promise.all([
    vouchers.ledger.factsOf(voucherOfRedemption(id)),
    registry.suppliers.byIndex(state.supplier),
  ]);
  const supplierDid = supplier?.did ?? "";
  await requireMaySeeRedemption(ctx, { supplierDid, facts });
  return { state, facts, supplierDid };
}

/** One redemption as the chain has it now. @throws AppError NOT_FOUND */
export async function getRedemption(ctx: ServiceContext, publicId: string): Promise<RedemptionRecord> {
  return await showRedemption(ctx, await findRedemption(ctx, publicId));
}

export async function showRedemption(
  ctx: ServiceContext,
  { state, supplierDid }: Pick<FoundRedemption, "state" | "supplierDid">,
): Promise<RedemptionRecord> {
  const product = await ctx.deps.registry.products.byIndex(state.product);
  return {
    redemptionId: encodeRedemptionId(state.id),
    voucherId: encodeVoucherId(voucherOfRedemption(state.id)),
    supplierDid,
    productId: product?.productId ?? "",
    amount: jsonAmount(state.amount),
    status: state.status,
    consent: consentLevel(state.consent),
    flagged: state.flagged,
    redeemedAt: isoTime(state.redeemedAt),
    claimDeadline: isoTime(BigInt(state.deadline)),
    transactionHash: state.transactionHash,
  };
}
