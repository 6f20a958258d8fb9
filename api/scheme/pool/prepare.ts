import { z } from "@hono/zod-openapi";
import { orderNonce } from "../../platform/chain/index.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import {
  type PrepareAction,
  type PreparedTransaction,
  prepareAction,
  unsignedTransaction,
} from "../../platform/transactions/index.ts";
import { did } from "../../platform/values/text.ts";
import type { PoolDeps } from "./deps.ts";
import { swapCall } from "./order.ts";
import { ownPartyOf } from "./party.ts";
import { brokenRules, planSwap, type SwapInput } from "./plan.ts";
import { refuseBroken } from "./rules.ts";
import { swapTerms } from "./terms.ts";

const buy = z.strictObject({ action: z.literal("pool-buy"), implementerDid: did, ...swapTerms });
const sell = z.strictObject({ action: z.literal("pool-sell"), supplierDid: did, ...swapTerms });
const cancel = z.strictObject({
  action: z.literal("pool-cancel-order"),
  side: z.enum(["buy", "sell"]),
  implementerDid: did.optional().openapi({ description: "Who signed an order to buy." }),
  supplierDid: did.optional().openapi({ description: "Who signed an order to sell." }),
  nonce: orderNonce,
});

/** Define the actions at the pool that accounts sign. */
export function poolActions(deps: PoolDeps): PrepareAction[] {
  return [
    prepareAction(buy, (ctx, { action: _, ...terms }) => prepareSwap(deps, ctx, { side: "buy", ...terms })),
    prepareAction(sell, (ctx, { action: _, ...terms }) => prepareSwap(deps, ctx, { side: "sell", ...terms })),
    prepareAction(cancel, (ctx, input) => prepareCancel(deps, ctx, input)),
  ];
}

/**
 * Prepare the transaction by which an account swaps itself; its allowance must suffice.
 * @throws AppError FORBIDDEN, NOT_FOUND (party), CONFLICT, RULE_VIOLATION, UNAVAILABLE, naming every broken rule
 */
async function prepareSwap(deps: PoolDeps, ctx: RequestContext, input: SwapInput): Promise<PreparedTransaction> {
  const planned = await planSwap(deps, ctx, input);
  refuseBroken(await brokenRules(deps, planned, { permitted: false }));
  return await unsignedTransaction(deps.chain, swapCall(planned.party, planned.terms));
}

/**
 * Prepare the transaction by which an account cancels a signed order, so that it is never carried out.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT if it was carried out or cancelled already
 */
async function prepareCancel(
  deps: PoolDeps,
  ctx: RequestContext,
  input: z.infer<typeof cancel>,
): Promise<PreparedTransaction> {
  const { side, index, account: from } = await ownPartyOf(deps, ctx, input);
  const args = [side === "sell" ? 0 : 1, index, input.nonce];
  return await unsignedTransaction(deps.chain, { from, contract: "pool", functionName: "cancelOrder", args });
}
