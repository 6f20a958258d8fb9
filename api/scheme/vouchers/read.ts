import { encodeVoucherId } from "../../../wire/src/ids.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { listProductsOfPlan } from "../registry/index.ts";
import { requireMaySeeVoucher } from "./access.ts";
import type { VoucherDeps } from "./deps.ts";
import { readVoucherId } from "./public-ids.ts";
import type { Proof, Voucher } from "./schemas.ts";
import { dayOfSeconds, serializeVoucher } from "./serialize-voucher.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

/** Read the facts of a voucher that the key may see. @throws AppError NOT_FOUND */
export async function findVoucher(deps: VoucherDeps, ctx: RequestContext, publicId: string): Promise<VoucherFacts> {
  const facts = await deps.vouchers.ledger.factsOf(readVoucherId(publicId));
  await requireMaySeeVoucher(deps, ctx, facts);
  return facts;
}

/** Read a voucher's current state from the chain. @throws AppError NOT_FOUND */
export async function getVoucher(deps: VoucherDeps, ctx: RequestContext, publicId: string): Promise<Voucher> {
  return await serializeNow(deps, ctx, await findVoucher(deps, ctx, publicId));
}

export async function serializeNow(deps: VoucherDeps, ctx: RequestContext, facts: VoucherFacts): Promise<Voucher> {
  const { chain, vouchers } = deps;
  const [state, now] = await Promise.all([vouchers.ledger.stateOf(facts), chain.now()]);
  return await serializeVoucher(deps, ctx, facts, state, dayOfSeconds(now));
}

/** List the approved products that the voucher pays for. @throws AppError NOT_FOUND */
export async function getProducts(
  deps: VoucherDeps,
  ctx: RequestContext,
  publicId: string,
  query: { limit: number; cursor?: string | undefined },
) {
  const plan = await deps.vouchers.ledger.planOf(await findVoucher(deps, ctx, publicId));
  return await listProductsOfPlan(deps, plan, query);
}

/**
 * Read the proof with which a household or supplier opens the voucher in its own transaction. @throws AppError
 * NOT_FOUND
 */
export async function getProof(deps: VoucherDeps, ctx: RequestContext, publicId: string): Promise<Proof> {
  const facts = await findVoucher(deps, ctx, publicId);
  const { chain, vouchers } = deps;
  const [state, opening] = await Promise.all([vouchers.ledger.stateOf(facts), vouchers.ledger.proofOf(facts)]);
  return {
    voucherId: encodeVoucherId(facts.id),
    voucher: facts.id.toString(),
    opened: state.opened,
    household: facts.household,
    value: facts.value.toString(),
    proof: opening?.proof ?? [],
    contract: chain.addresses.vouchers,
    chainId: chain.id,
  };
}
