import type { RequestContext } from "../../platform/http/index.ts";
import { quoteSwap, type Side, type Swapped } from "./arithmetic.ts";
import type { PoolDeps } from "./deps.ts";
import { holdingOf, type OrderTerms } from "./order.ts";
import { type Party, type PartyInput, partyOf } from "./party.ts";
import type { PoolState } from "./pool.ts";
import { amountsOf, askedOf } from "./quote.ts";
import {
  type BrokenRule,
  broken,
  brokenByHolding,
  brokenByPool,
  brokenByTerms,
  requireInRange,
  supplierOwes,
} from "./rules.ts";

export type SwapInput = PartyInput & {
  side: Side;
  amountIn?: bigint | undefined;
  amountOut?: bigint | undefined;
  minOut?: bigint | undefined;
  maxIn?: bigint | undefined;
  deadline: bigint;
};

/** A planned swap: its party, the current state of the pool, and the terms that the contract enforces. */
export type Planned = { input: SwapInput; party: Party; state: PoolState; swapped: Swapped; terms: OrderTerms };

/** Plan a swap at the latest block. @throws AppError FORBIDDEN, NOT_FOUND (party), RULE_VIOLATION (range), UNAVAILABLE */
export async function planSwap(deps: PoolDeps, ctx: RequestContext, input: SwapInput): Promise<Planned> {
  const party = await partyOf(deps, ctx, input);
  const state = await deps.pool.reader.now();
  const swapped = quoteSwap(input.side, amountsOf(input), state);
  requireInRange(swapped);
  const { amountOut, minOut, deadline } = input;
  const terms = { party: party.index, amountIn: swapped.amountIn, minOut: minOut ?? amountOut ?? 0n, deadline };
  return { input, party, state, swapped, terms };
}

/** A supplier in debt is paid only for the rest; its bounds are compared with that payment. */
function brokenByDebt(
  { minOut, amountOut }: SwapInput,
  { swapped, state, debt }: Pick<Planned, "swapped" | "state"> & { debt: bigint },
): BrokenRule[] {
  if (debt === 0n) return [];
  if (debt >= swapped.amountIn) return [supplierOwes(debt)];
  const net = quoteSwap("sell", { amountIn: swapped.amountIn - debt }, state).amountOut;
  const least = minOut ?? amountOut ?? 0n;
  return net < least ? [broken("minOut", { name: "OutputBelowMinimum", args: [net, least] })] : [];
}

/**
 * List every rule that a planned swap breaks now.
 * @param permitted true if a permit or an approval will grant the allowance before the swap
 */
export async function brokenRules(
  deps: PoolDeps,
  { input, party, state, swapped }: Planned,
  { permitted }: { permitted: boolean },
): Promise<BrokenRule[]> {
  const { chain, pool } = deps;
  const [holding, room] = await Promise.all([
    holdingOf(chain, party),
    party.side === "sell" ? pool.reader.supplierRoom(party.index, state.block) : undefined,
  ]);
  return [
    ...brokenByPool(state, swapped, { asked: askedOf(input), supplierDayLeft: room?.perSupplierDay }),
    ...brokenByTerms(swapped, input, state.block.timestamp),
    ...brokenByDebt(input, { swapped, state, debt: room?.debt ?? 0n }),
    ...brokenByHolding(swapped.amountIn, holding, permitted),
  ];
}
