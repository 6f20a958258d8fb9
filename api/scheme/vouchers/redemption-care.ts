import { eventsIn } from "../../platform/chain/contracts.ts";
import type { MinedCall } from "../../platform/chain/outbox.ts";
import { submitCall } from "../../platform/chain/submit.ts";
import { requireRole, requireRoleOrScope } from "../../platform/http/authorize.ts";
import type { ServiceContext } from "../../platform/http/context.ts";
import { redeemScope, requireSupplierKey } from "./access.ts";
import { lifecycleReading } from "./limits.ts";
import { type FoundRedemption, findRedemption, showRedemption } from "./redemptions.ts";
import type { ChangedRedemption } from "./schemas.ts";

/** The supplier, before delivery: the amount returns to the voucher. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function reverseRedemption(
  ctx: ServiceContext,
  { redemptionId, reason }: { redemptionId: string; reason: string },
): Promise<ChangedRedemption> {
  const found = await findRedemption(ctx, redemptionId);
  requireRoleOrScope(ctx.actor, redeemScope, "supplier");
  requireSupplierKey(ctx, found.supplierDid);
  const mined = await submitCall(ctx, {
    sender: "operator",
    contract: "vouchers",
    functionName: "reverse",
    args: [found.state.id, reason],
    purpose: "redemption.reverse",
    reading: await lifecycleReading(ctx),
  });
  return await showChanged(ctx, found, mined);
}

/** Anyone, after the deadline of a redemption without an approved claim. @throws AppError NOT_FOUND, CONFLICT */
export async function lapseRedemption(
  ctx: ServiceContext,
  { redemptionId }: { redemptionId: string },
): Promise<ChangedRedemption> {
  const found = await findRedemption(ctx, redemptionId);
  const mined = await submitCall(ctx, {
    sender: "operator",
    contract: "vouchers",
    functionName: "lapse",
    args: [found.state.id],
    purpose: "redemption.lapse",
  });
  return await showChanged(ctx, found, mined);
}

/** An evaluator: the claim for it will be held for review. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function flagRedemption(
  ctx: ServiceContext,
  { redemptionId, reason }: { redemptionId: string; reason: string },
): Promise<ChangedRedemption> {
  const found = await findRedemption(ctx, redemptionId);
  requireRole(ctx.actor, "evaluator");
  const mined = await submitCall(ctx, {
    sender: "evaluator",
    contract: "vouchers",
    functionName: "flagRedemption",
    args: [found.state.id, reason],
    purpose: "redemption.flag",
  });
  return await showChanged(ctx, found, mined);
}

const refunds = ["voucher", "certificate"] as const;

async function showChanged(ctx: ServiceContext, found: FoundRedemption, mined: MinedCall): Promise<ChangedRedemption> {
  const { chain, vouchers } = ctx.deps;
  const state = await vouchers.redemptionLedger.stateOf(found.state.id);
  const address = chain.addresses.vouchers;
  const [refunded] = eventsIn(mined.logs, { contract: "vouchers", address, eventName: "RedemptionRefunded" });
  const refundedTo = refunded === undefined ? undefined : refunds[refunded.args.refund];
  return {
    ...(await showRedemption(ctx, { ...found, state })),
    changeTransactionHash: mined.transactionHash,
    ...(refundedTo === undefined ? {} : { refundedTo }),
  };
}
