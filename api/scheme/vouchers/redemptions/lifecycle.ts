import { eventsIn, type MinedCall, submitCall } from "../../../platform/chain/index.ts";
import { type RequestContext, requireRole, requireRoleOrScope } from "../../../platform/http/index.ts";
import { redeemScope, requireSupplierKey } from "../access.ts";
import type { VoucherDeps } from "../deps.ts";
import { lifecycleReading } from "../limits.ts";
import type { ChangedRedemption } from "../schemas.ts";
import { type FoundRedemption, findRedemption, serializeRedemption } from "./redemptions.ts";

/**
 * Reverse a redemption before delivery, as supplier: the amount returns to the voucher.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function reverseRedemption(
  deps: VoucherDeps,
  ctx: RequestContext,
  { redemptionId, reason }: { redemptionId: string; reason: string },
): Promise<ChangedRedemption> {
  const found = await findRedemption(deps, ctx, redemptionId);
  requireRoleOrScope(ctx.actor, redeemScope, "supplier");
  requireSupplierKey(ctx, found.supplierDid);
  const mined = await submitCall(deps, ctx, {
    sender: "operator",
    contract: "vouchers",
    functionName: "reverse",
    args: [found.state.id, reason],
    purpose: "redemption.reverse",
    reading: await lifecycleReading(deps),
  });
  return await serializeChanged(deps, ctx, found, mined);
}

/** Let a redemption without approved claim lapse after its deadline, as anyone. @throws AppError NOT_FOUND, CONFLICT */
export async function lapseRedemption(
  deps: VoucherDeps,
  ctx: RequestContext,
  { redemptionId }: { redemptionId: string },
): Promise<ChangedRedemption> {
  const found = await findRedemption(deps, ctx, redemptionId);
  const mined = await submitCall(deps, ctx, {
    sender: "operator",
    contract: "vouchers",
    functionName: "lapse",
    args: [found.state.id],
    purpose: "redemption.lapse",
  });
  return await serializeChanged(deps, ctx, found, mined);
}

/**
 * Flag a redemption, as evaluator: its claim will be held for review. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function flagRedemption(
  deps: VoucherDeps,
  ctx: RequestContext,
  { redemptionId, reason }: { redemptionId: string; reason: string },
): Promise<ChangedRedemption> {
  const found = await findRedemption(deps, ctx, redemptionId);
  requireRole(ctx.actor, "evaluator");
  const mined = await submitCall(deps, ctx, {
    sender: "evaluator",
    contract: "vouchers",
    functionName: "flagRedemption",
    args: [found.state.id, reason],
    purpose: "redemption.flag",
  });
  return await serializeChanged(deps, ctx, found, mined);
}

const refunds = ["voucher", "certificate"] as const;

async function serializeChanged(
  deps: VoucherDeps,
  ctx: RequestContext,
  found: FoundRedemption,
  mined: MinedCall,
): Promise<ChangedRedemption> {
  const { chain, vouchers } = deps;
  const state = await vouchers.redemptionLedger.stateOf(found.state.id);
  const address = chain.addresses.vouchers;
  const [refunded] = eventsIn(mined.logs, { contract: "vouchers", address, eventName: "RedemptionRefunded" });
  const refundedTo = refunded === undefined ? undefined : refunds[refunded.args.refund];
  return {
    ...(await serializeRedemption(deps, ctx, { ...found, state })),
    changeTransactionHash: mined.transactionHash,
    ...(refundedTo === undefined ? {} : { refundedTo }),
  };
}
