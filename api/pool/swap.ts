import { isSignedBy, nonceOfTerms } from "../chain/order-signatures.ts";
import { findByIdempotencyId } from "../chain/outbox-store.ts";
import { splitPermit } from "../chain/permits.ts";
import { submitCall } from "../chain/submit.ts";
import type { ServiceContext } from "../http/context.ts";
import { jsonAmount } from "../http/numbers.ts";
import { quoteSwap, type Swapped } from "./arithmetic.ts";
import { holdingOf, orderToSign, type SwapOrder, transactionsOf, typedDataOf } from "./order.ts";
import { type Party, partyOf } from "./party.ts";
import type { PoolState } from "./pool.ts";
import { amountsOf, askedOf } from "./quote.ts";
import {
  type BrokenRule,
  broken,
  brokenByHolding,
  brokenByPool,
  brokenByTerms,
  refuseBroken,
  requireInRange,
} from "./rules.ts";
import type { SwapRecord, SwapRequest, SwapToSign } from "./schemas.ts";
import { showSwap, swapPurpose, swapsIn } from "./swap-record.ts";

type Planned = { input: SwapRequest; party: Party; state: PoolState; swapped: Swapped; order: SwapOrder };
export type Signatures = NonNullable<SwapRequest["signatures"]>;

/**
 * Swap at the pool. Without signatures: what the party's account signs. With them, the relayer submits the account's order.
 * @throws AppError FORBIDDEN (identity, signature), NOT_FOUND (party), CONFLICT, RULE_VIOLATION, UNAVAILABLE, naming every broken rule
 */
export async function swap(
  ctx: ServiceContext,
  input: SwapRequest,
): Promise<{ toSign: SwapToSign } | { record: SwapRecord }> {
  const party = await partyOf(ctx, input);
  const { signatures } = input;
  const planned = await planSwap(ctx, input, party);
  if (signatures === undefined) return { toSign: await askToSign(ctx, planned) };
  return { record: await carryOut(ctx, planned, signatures) };
}

async function planSwap(ctx: ServiceContext, input: SwapRequest, party: Party): Promise<Planned> {
  const state = await ctx.deps.pool.reader.now();
  const swapped = quoteSwap(input.side, amountsOf(input), state);
  requireInRange(swapped);
  const { side, amountIn, amountOut, minOut, maxIn, deadline } = input;
  const terms = [side, party.index, amountIn ?? "", amountOut ?? "", minOut ?? "", maxIn ?? "", deadline];
  const order = {
    party: party.index,
    amountIn: swapped.amountIn,
    minOut: minOut ?? amountOut ?? 0n,
    nonce: namedNonce(input) ?? nonceOfTerms(terms),
    deadline,
  };
  return { input, party, state, swapped, order };
}

function namedNonce({ signatures }: SwapRequest): bigint | undefined {
  return signatures !== undefined && "nonce" in signatures ? signatures.nonce : undefined;
}

async function askToSign(ctx: ServiceContext, planned: Planned): Promise<SwapToSign> {
  const { chain } = ctx.deps;
  const { party, order, swapped } = planned;
  const { balance } = await holdingOf(chain, party);
  refuseBroken([...(await brokenRules(ctx, planned)), ...brokenByHolding(order.amountIn, { balance })]);
  const [typedData, transactions] = await Promise.all([
    typedDataOf(chain, party, order),
    transactionsOf(chain, party, order),
  ]);
  return {
    typedData,
    transactions,
    amountIn: jsonAmount(order.amountIn),
    amountOut: jsonAmount(swapped.amountOut),
    minOut: jsonAmount(order.minOut),
    nonce: `${order.nonce}`,
    deadline: Number(order.deadline),
  };
}

async function carryOut(ctx: ServiceContext, planned: Planned, signatures: Signatures): Promise<SwapRecord> {
  const { chain } = ctx.deps;
  const { order, party } = planned;
  // An interrupted attempt of the same request may have carried the order out: that is no second use.
  if (!(await wasBegun(ctx))) await review(ctx, planned, signatures);
  const mined = await submitCall(ctx, {
    sender: "operator",
    contract: "pool",
    functionName: party.side === "buy" ? "buyCarbonFor" : "sellCarbonFor",
    args: [order, signatures.order, splitPermit(signatures.permit)],
    purpose: swapPurpose,
  });
  const [facts] = swapsIn(chain, mined);
  if (facts === undefined) throw new Error(`Transaction ${mined.transactionHash} holds no swap.`);
  return await showSwap(ctx, facts);
}

async function wasBegun({ deps, idempotencyId }: ServiceContext): Promise<boolean> {
  const { db } = deps.chain.outbox.options;
  return idempotencyId !== undefined && (await findByIdempotencyId(db, idempotencyId)) !== undefined;
}

/** Say early, and completely, what the contract would say. */
async function review(ctx: ServiceContext, planned: Planned, signatures: Signatures): Promise<void> {
  const { chain, pool } = ctx.deps;
  const { party, order } = planned;
  const { account, side } = party;
  const signed = { typedData: orderToSign(chain, side, order), signature: signatures.order };
  const [isSigned, isUsed, rules, { balance, allowance }] = await Promise.all([
    isSignedBy(chain.client, account, signed),
    pool.reader.isNonceUsed(account, order.nonce),
    brokenRules(ctx, planned),
    holdingOf(chain, party),
  ]);
  const found: BrokenRule[] = [];
  if (!isSigned) found.push(broken("signatures.order", { name: "SignatureInvalid", args: [account] }));
  if (isUsed) found.push(broken("signatures.nonce", { name: "NonceUsed", args: [account, order.nonce] }));
  const holding = signatures.permit === undefined ? { balance, allowance } : { balance };
  refuseBroken([...found, ...rules, ...brokenByHolding(order.amountIn, holding)]);
}

/** What the pool, or the swap's own terms, rule out now. */
async function brokenRules(ctx: ServiceContext, { input, party, state, swapped }: Planned): Promise<BrokenRule[]> {
  const { side, index } = party;
  const room = side === "sell" ? await ctx.deps.pool.reader.supplierRoom(index, state.block) : undefined;
  const { perSupplierDay: supplierDayLeft } = room ?? {};
  return [
    ...brokenByPool(state, swapped, { asked: askedOf(input), supplierDayLeft }),
    ...brokenByTerms(swapped, input, state.block.timestamp),
  ];
}
