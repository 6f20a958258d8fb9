import { AppError } from "../../platform/errors.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { type Amounts, costOf, quoteSwap } from "./arithmetic.ts";
import type { PoolDeps } from "./deps.ts";
import type { PoolState } from "./pool.ts";
import { brokenByPool, detailsOf, refuseBroken, requireInRange } from "./rules.ts";
import type { Quote, QuoteRequest } from "./schemas.ts";
import { type Bound, jsonFee } from "./units.ts";

/**
 * Quote a swap at the latest block: the exact amounts, and whether the pool would carry it out.
 * @throws AppError RULE_VIOLATION for an amount that rounds to zero or is out of range; NOT_FOUND for an unknown supplier
 */
export async function quotePool(deps: PoolDeps, input: QuoteRequest): Promise<Quote> {
  const state = await deps.pool.reader.now();
  const { side } = input;
  const swapped = quoteSwap(side, amountsOf(input), state);
  requireInRange(swapped);
  const supplierDayLeft = await supplierLeft(deps, input, state.block);
  const broken = brokenByPool(state, swapped, { asked: askedOf(input), supplierDayLeft });
  const worthless = broken.filter(({ refusal }) => refusal.details.some(({ rule }) => rule === "amount-positive"));
  // A swap of zero has no price.
  if (worthless.length > 0) refuseBroken(broken);
  return {
    side,
    amountIn: jsonAmount(swapped.amountIn),
    amountOut: jsonAmount(swapped.amountOut),
    price: jsonAmount(state.price),
    fee: jsonFee(state.fee),
    feeAmount: jsonAmount(costOf(swapped, state.price)),
    executable: broken.length === 0,
    brokenRules: detailsOf(broken),
    blockNumber: Number(state.block.number),
  };
}

type Asked = { amountIn?: bigint | undefined; amountOut?: bigint | undefined };

/** Select the amount that the request gives. */
export function amountsOf({ amountIn, amountOut }: Asked): Amounts {
  return amountIn === undefined ? { amountOut: amountOut ?? 0n } : { amountIn };
}

export const askedOf = ({ amountIn }: Asked) => (amountIn === undefined ? "amountOut" : "amountIn");

async function supplierLeft(
  deps: PoolDeps,
  { side, supplierDid }: QuoteRequest,
  block: PoolState["block"],
): Promise<Bound | undefined> {
  if (side !== "sell" || supplierDid === undefined) return undefined;
  const { registry, pool } = deps;
  const supplier = await registry.suppliers.byDid(supplierDid);
  if (supplier === null) throw new AppError("NOT_FOUND", `There is no supplier ${supplierDid}.`);
  return (await pool.reader.supplierRoom(supplier.supplier, block)).perSupplierDay;
}
