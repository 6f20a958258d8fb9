import { isSignedBy, nonceOfTerms, splitPermit, submitCall } from "../../platform/chain/index.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import type { PoolDeps } from "./deps.ts";
import { orderToSign, type SwapOrder, transactionsOf, typedDataOf } from "./order.ts";
import { brokenRules, type Planned, planSwap } from "./plan.ts";
import { broken, refuseBroken, supplierOwes } from "./rules.ts";
import type { SwapRecord, SwapRequest, SwapToSign } from "./schemas.ts";
import { serializeSwap, swapPurpose, swapsIn } from "./swap-record.ts";

type Signatures = NonNullable<SwapRequest["signatures"]>;

/**
 * Swap at the pool. Without signatures, return what the party's account must sign. With them, the relayer submits the order.
 * @throws AppError FORBIDDEN (identity, signature), NOT_FOUND (party), CONFLICT, RULE_VIOLATION, UNAVAILABLE, naming every broken rule
 */
export async function swap(
  deps: PoolDeps,
  ctx: RequestContext,
  { signatures, ...input }: SwapRequest,
): Promise<{ toSign: SwapToSign } | { record: SwapRecord }> {
  const planned = await planSwap(deps, ctx, input);
  const named = signatures !== undefined && "nonce" in signatures ? signatures.nonce : undefined;
  const order = { ...planned.terms, nonce: named ?? nonceOf(planned) };
  return signatures === undefined
    ? { toSign: await askToSign(deps, planned, order) }
    : { record: await carryOut(deps, ctx, planned, { order, signatures }) };
}

/** Derive the nonce from the request, not from amounts at the current price, so that the same body is one order. */
function nonceOf({ input, party }: Planned): bigint {
  const { side, amountIn, amountOut, minOut, maxIn, deadline } = input;
  return nonceOfTerms([side, party.index, amountIn ?? "", amountOut ?? "", minOut ?? "", maxIn ?? "", deadline]);
}

async function askToSign(deps: PoolDeps, planned: Planned, order: SwapOrder): Promise<SwapToSign> {
  const { chain } = deps;
  const { party, swapped } = planned;
  refuseBroken(await brokenRules(deps, planned, { permitted: true }));
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

type Signed = { order: SwapOrder; signatures: Signatures };

async function carryOut(deps: PoolDeps, ctx: RequestContext, planned: Planned, signed: Signed): Promise<SwapRecord> {
  const { chain } = deps;
  const { order, signatures } = signed;
  const mined = await submitCall(deps, ctx, {
    sender: "operator",
    contract: "pool",
    functionName: planned.party.side === "buy" ? "buyCarbonFor" : "sellCarbonFor",
    args: [order, signatures.order, splitPermit(signatures.permit)],
    purpose: swapPurpose,
    // An interrupted attempt of the same request may have carried the order out. Repeating it is not a second use.
    review: () => review(deps, planned, signed),
  });
  const [facts] = swapsIn(chain, mined);
  // A debt that was recorded meanwhile took the whole amount.
  if (facts === undefined) throw supplierOwes(order.amountIn).refusal;
  return await serializeSwap(deps, facts);
}

/** Check every rule of the contract in advance. */
async function review(deps: PoolDeps, planned: Planned, { order, signatures }: Signed): Promise<void> {
  const { chain, pool } = deps;
  const { account, side } = planned.party;
  const asked = { typedData: orderToSign(chain, side, order), signature: signatures.order };
  const [isSigned, isUsed, found] = await Promise.all([
    isSignedBy(chain.client, account, asked),
    pool.reader.isNonceUsed(side, order),
    brokenRules(deps, planned, { permitted: signatures.permit !== undefined }),
  ]);
  if (!isSigned) found.push(broken("signatures.order", { name: "SignatureInvalid", args: [account] }));
  if (isUsed) found.push(broken("signatures.nonce", { name: "NonceUsed", args: [account, order.nonce] }));
  refuseBroken(found);
}
