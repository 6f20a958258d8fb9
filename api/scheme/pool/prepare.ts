import type { ServiceContext } from "../../platform/http/context.ts";
import type { Prepare, PreparedTransaction } from "../../platform/transactions/schemas.ts";
import { unsignedTransaction } from "../../platform/transactions/unsigned.ts";
import { swapCall } from "./order.ts";
import { brokenRules, planSwap } from "./plan.ts";
import { refuseBroken } from "./rules.ts";

/**
 * The transaction by which an account swaps itself; the allowance must be there.
 * @throws AppError FORBIDDEN, NOT_FOUND (party), CONFLICT, RULE_VIOLATION, UNAVAILABLE, naming every broken rule
 */
export async function prepareSwap(
  ctx: ServiceContext,
  { action, ...terms }: Prepare<"pool-buy"> | Prepare<"pool-sell">,
): Promise<PreparedTransaction> {
  const planned = await planSwap(ctx, { side: action === "pool-buy" ? "buy" : "sell", ...terms });
  refuseBroken(await brokenRules(ctx, planned, { permitted: false }));
  return await unsignedTransaction(ctx.deps.chain, swapCall(planned.party, planned.terms));
}
