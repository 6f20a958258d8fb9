import type { Address } from "viem";
import { AppError } from "../../platform/errors.ts";
import { type RequestContext, requireOwnImplementer, requireOwnSupplier } from "../../platform/http/index.ts";
import { forbiddenSupplier } from "../vouchers/index.ts";
import type { Side } from "./arithmetic.ts";
import type { PoolDeps } from "./deps.ts";

/** Scope that an integrator's key needs to swap for a party. The account's signature authorises the swap. */
export const swapScope = "pool:swap";

/** The party that swaps: an implementer buys, a supplier sells. `index` is its number on chain. */
export type Party = { side: Side; index: number; account: Address };
export type PartyInput = { side: Side; implementerDid?: string | undefined; supplierDid?: string | undefined };

/** Find the party that swaps. @throws AppError FORBIDDEN (another party's identity, a suspended supplier), NOT_FOUND */
export async function partyOf(deps: PoolDeps, ctx: RequestContext, input: PartyInput): Promise<Party> {
  const { authorised, ...party } = await ownPartyOf(deps, ctx, input);
  if (!authorised) throw forbiddenSupplier("The supplier is suspended.");
  return party;
}

/** Find the party, even a suspended one. @throws AppError FORBIDDEN (another party's identity), NOT_FOUND */
export async function ownPartyOf(
  deps: PoolDeps,
  ctx: RequestContext,
  { side, ...dids }: PartyInput,
): Promise<Party & { authorised: boolean }> {
  return side === "buy"
    ? await buyerOf(deps, ctx, dids.implementerDid ?? "")
    : await sellerOf(deps, ctx, dids.supplierDid ?? "");
}

async function buyerOf(deps: PoolDeps, ctx: RequestContext, did: string): Promise<Party & { authorised: true }> {
  requireOwnImplementer(ctx.actor, did, swapScope);
  const { implementers } = deps.registry;
  const found = await implementers.byDid(did);
  if (found === null) throw unknownImplementer(did);
  const account = await implementers.accountOf(found.implementer);
  return { side: "buy", index: found.implementer, account, authorised: true };
}

async function sellerOf(deps: PoolDeps, ctx: RequestContext, did: string): Promise<Party & { authorised: boolean }> {
  requireOwnSupplier(ctx.actor, did, swapScope);
  const { suppliers } = deps.registry;
  const found = await suppliers.byDid(did);
  if (found === null) throw unknown("supplierDid", "supplier-exists", `There is no supplier ${did}.`);
  const { account, authorised } = await suppliers.stateOf(found.supplier);
  return { side: "sell", index: found.supplier, account, authorised };
}

export function unknownImplementer(did: string): AppError {
  return unknown("implementerDid", "implementer-exists", `There is no implementer ${did}.`);
}

function unknown(path: string, rule: string, message: string): AppError {
  return new AppError("NOT_FOUND", message, { details: [{ path, rule, message }] });
}
