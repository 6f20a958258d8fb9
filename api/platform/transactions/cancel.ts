import { requireImplementer } from "../../scheme/itmo/access.ts";
import { ownPartyOf } from "../../scheme/pool/party.ts";
import { notRegistered } from "../../scheme/registry/refusals.ts";
import { findVoucher } from "../../scheme/vouchers/read.ts";
import { AppError } from "../errors.ts";
import type { ServiceContext } from "../http/context.ts";
import type { Prepare, PreparedTransaction } from "./schemas.ts";
import { unsignedTransaction } from "./unsigned.ts";

type Cancel =
  | Prepare<"pool-cancel-order">
  | Prepare<"itmo-cancel-order">
  | Prepare<"cancel-authorization">
  | Prepare<"cancel-attestation">;

/**
 * The transaction by which an account takes back what it signed, so that it never settles.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT when it has settled or is cancelled already
 */
export async function prepareCancel(ctx: ServiceContext, input: Cancel): Promise<PreparedTransaction> {
  switch (input.action) {
    case "pool-cancel-order":
      return await cancelSwap(ctx, input);
    case "itmo-cancel-order":
      return await cancelConversion(ctx, input);
    case "cancel-authorization":
      return await cancelAuthorization(ctx, input);
    case "cancel-attestation": {
      const { from, attestation } = input;
      const call = { from, contract: "claims", functionName: "cancelAttestation", args: [attestation] } as const;
      return await unsignedTransaction(ctx.deps.chain, call);
    }
  }
}

async function cancelSwap(ctx: ServiceContext, input: Prepare<"pool-cancel-order">): Promise<PreparedTransaction> {
  const { side, index, account: from } = await ownPartyOf(ctx, input);
  const args = [side === "sell" ? 0 : 1, index, input.nonce];
  return await unsignedTransaction(ctx.deps.chain, { from, contract: "pool", functionName: "cancelOrder", args });
}

async function cancelConversion(
  ctx: ServiceContext,
  { implementerDid, nonce }: Prepare<"itmo-cancel-order">,
): Promise<PreparedTransaction> {
  requireImplementer(ctx.actor, implementerDid);
  const { implementers } = ctx.deps.registry;
  const found = await implementers.byDid(implementerDid);
  if (found === null) throw notRegistered("Implementer", implementerDid);
  const from = await implementers.accountOf(found.implementer);
  const args = [found.implementer, nonce];
  return await unsignedTransaction(ctx.deps.chain, { from, contract: "itmo", functionName: "cancelOrder", args });
}

async function cancelAuthorization(
  ctx: ServiceContext,
  { voucherId, nonce }: Prepare<"cancel-authorization">,
): Promise<PreparedTransaction> {
  const { household } = await findVoucher(ctx, voucherId);
  const from = await ctx.deps.registry.households.accountOf(household);
  if (from === null) {
    const message = "The household has no account, and only its account cancels what was signed.";
    throw new AppError("CONFLICT", message, { details: [{ path: "voucherId", rule: "household-account", message }] });
  }
  const args = [household, nonce];
  const call = { from, contract: "vouchers", functionName: "cancelAuthorization", args } as const;
  return await unsignedTransaction(ctx.deps.chain, call);
}
