import type { Hex } from "viem";
import { AppError } from "../../errors.ts";
import type { Chain } from "../chain.ts";
import { broadcast } from "./broadcast.ts";
import type { MinedCall } from "./outbox.ts";
import { findByHash, removeTransaction, storeAtNonce } from "./store.ts";

export type SignedElsewhere = {
  raw: Hex;
  hash: Hex;
  sender: Hex;
  nonce: number;
  contract: string;
  functionName: string;
};

/**
 * Send a transaction that its sender signed, through the outbox, so that a crash does not lose it. The same bytes again return the
 * same outcome.
 * @throws AppError CONFLICT (its nonce is used), RULE_VIOLATION (the node refuses it), what the contract's refusal means
 * @throws PendingTransactionError when the block does not come within TX_WAIT_MS
 */
export async function relaySigned(chain: Chain, signed: SignedElsewhere): Promise<MinedCall> {
  const { outbox } = chain;
  const { db } = outbox.options;
  await outbox.open();
  const known = await findByHash(db, signed.hash);
  if (known !== undefined) return await outbox.outcome(known);
  await requireNextNonce(chain, signed);
  const { raw, hash, ...intent } = signed;
  const purpose = `relay.${signed.contract}.${signed.functionName}`;
  const row = await storeAtNonce(db, { ...intent, purpose, parts: [] }, { raw, hash });
  if (row === null) throw nonceUsed();
  const sent = await broadcast(chain.client, raw);
  if (sent.outcome === "refused") {
    // Only its sender can correct the transaction and use the nonce again.
    await removeTransaction(db, row.id);
    throw new AppError("RULE_VIOLATION", `The chain does not take the transaction: ${sent.reason}`, {
      details: [{ path: "signedTransaction", rule: "transaction-acceptable", message: sent.reason }],
    });
  }
  return await outbox.deliver(row);
}

async function requireNextNonce(chain: Chain, { sender, nonce }: SignedElsewhere): Promise<void> {
  const [latest, pending] = await Promise.all([
    chain.client.getTransactionCount({ address: sender, blockTag: "latest" }),
    chain.client.getTransactionCount({ address: sender, blockTag: "pending" }),
  ]);
  if (nonce < latest) throw nonceUsed();
  if (nonce <= pending) return;
  const message = `The nonce is ${nonce}; the account's next one is ${pending}.`;
  throw new AppError("RULE_VIOLATION", message, {
    details: [{ path: "signedTransaction", rule: "nonce-next", message }],
  });
}

function nonceUsed(): AppError {
  const message = "The account has used this nonce for another transaction.";
  return new AppError("CONFLICT", message, {
    details: [{ path: "signedTransaction", rule: "nonce-unused", message }],
  });
}
