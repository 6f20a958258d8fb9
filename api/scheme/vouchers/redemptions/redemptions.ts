import { consentLevel } from "../../../../indexer/schema/consent-words.ts";
import { encodeRedemptionId, encodeVoucherId, voucherOfRedemption } from "../../../../wire/src/ids.ts";
import { isoTime } from "../../../platform/chain/index.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { jsonAmount } from "../../../platform/values/numbers.ts";
import { requireMaySeeRedemption } from "../access.ts";
import { serializeActor } from "../actors/serialize-actor.ts";
import { settleOrders } from "../actors/settle-orders.ts";
import { redemptionActorsOf } from "../actors/store.ts";
import type { VoucherDeps } from "../deps.ts";
import { readRedemptionId } from "../public-ids.ts";
import type { RedemptionRecord } from "../schemas.ts";
import type { VoucherFacts } from "../voucher-ledger.ts";
import type { RedemptionState } from "./ledger.ts";

export type FoundRedemption = { state: RedemptionState; facts: VoucherFacts; supplierDid: string };

/** Read a redemption that the key may see. @throws AppError NOT_FOUND */
export async function findRedemption(
  deps: VoucherDeps,
  ctx: RequestContext,
  publicId: string,
): Promise<FoundRedemption> {
  const { vouchers, registry } = deps;
  const id = readRedemptionId(publicId);
  const state = await vouchers.redemptionLedger.stateOf(id);
  const [facts, supplier] = await Promise.all([
    vouchers.ledger.factsOf(voucherOfRedemption(id)),
    registry.suppliers.byIndex(state.supplier),
  ]);
  const supplierDid = supplier?.did ?? "";
  await requireMaySeeRedemption(deps, ctx, { supplierDid, facts });
  return { state, facts, supplierDid };
}

/** Read a redemption's current state from the chain. @throws AppError NOT_FOUND */
export async function getRedemption(
  deps: VoucherDeps,
  ctx: RequestContext,
  publicId: string,
): Promise<RedemptionRecord> {
  return await serializeRedemption(deps, ctx, await findRedemption(deps, ctx, publicId));
}

export async function serializeRedemption(
  deps: VoucherDeps,
  ctx: RequestContext,
  { state, supplierDid }: Pick<FoundRedemption, "state" | "supplierDid">,
): Promise<RedemptionRecord> {
  const redemptionId = encodeRedemptionId(state.id);
  await settleOrders(deps);
  const [product, actors] = await Promise.all([
    deps.registry.products.byIndex(state.product),
    redemptionActorsOf(deps.db, [redemptionId]),
  ]);
  return {
    redemptionId,
    voucherId: encodeVoucherId(voucherOfRedemption(state.id)),
    supplierDid,
    productId: product?.productId ?? "",
    amount: jsonAmount(state.amount),
    status: state.status,
    consent: consentLevel(state.consent),
    actedBy: serializeActor(ctx, actors.get(redemptionId)),
    flagged: state.flagged,
    redeemedAt: isoTime(state.redeemedAt),
    claimDeadline: isoTime(BigInt(state.deadline)),
    transactionHash: state.transactionHash,
  };
}
