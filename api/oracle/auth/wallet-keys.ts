import { type Address, verifyMessage } from "viem";
import type { Database } from "../../platform/db/index.ts";
import { keyOfDidKey } from "../../platform/dids/index.ts";
import { AppError } from "../../platform/errors.ts";
import { oracleDidKeys } from "./tables.ts";

/** Longest lifetime of a session key, in seconds. */
const longestLife = 30 * 24 * 3600;

export type WalletKey = { did: string; keyDid: string; expiration: number; signature: `0x${string}` };
type Parts = { db: Database; audience: string; clock: { now: () => Date } };

/** Build the text that the wallet signs (EIP-191). */
export function walletKeyMessage({ did, keyDid, expiration }: Omit<WalletKey, "signature">, audience: string): string {
  return `Let the key ${keyDid} sign for ${did} at ${audience} until ${new Date(expiration * 1000).toISOString()}.`;
}

/**
 * Store a session key for a did:pkh or did:ethr, authorised by the wallet's signature.
 * @throws AppError INVALID_INPUT naming what is wrong; UNAUTHENTICATED when the wallet did not sign it
 */
export async function registerWalletKey({ db, audience, clock }: Parts, key: WalletKey): Promise<void> {
  const now = Math.floor(clock.now().getTime() / 1000);
  const address = addressOf(key.did);
  const details = [
    ...(address === undefined
      ? [{ path: "did", rule: "method", message: "must be a did:pkh or did:ethr of an account" }]
      : []),
    ...(keyOfDidKey(key.keyDid) === undefined
      ? [{ path: "keyDid", rule: "did-key", message: "must be a did:key" }]
      : []),
    ...(key.expiration <= now || key.expiration > now + longestLife
      ? [{ path: "expiration", rule: "range", message: "must be within the next 30 days" }]
      : []),
  ];
  if (details.length > 0 || address === undefined) {
    throw new AppError("INVALID_INPUT", "The key cannot be registered.", { details });
  }
  const { signature, ...said } = key;
  const message = walletKeyMessage(said, audience);
  const isSigned = await verifyMessage({ address, message, signature }).catch(() => false);
  if (!isSigned) {
    const wrong = [{ path: "signature", rule: "signature", message: `The account did not sign: ${message}` }];
    throw new AppError("UNAUTHENTICATED", "The signature is not by this account.", { details: wrong });
  }
  const { did, keyDid } = key;
  const expiresAt = new Date(key.expiration * 1000);
  const row = { did, keyDid, expiresAt, createdAt: clock.now() };
  const target = [oracleDidKeys.did, oracleDidKeys.keyDid];
  await db.insert(oracleDidKeys).values(row).onConflictDoUpdate({ target, set: { expiresAt } });
}

function addressOf(did: string): Address | undefined {
  const found = /^did:(?:pkh:eip155:\d+|ethr(?::(?:0x[0-9a-fA-F]+|[a-z0-9-]+))?):(0x[0-9a-fA-F]{40})$/.exec(did)?.[1];
  return found as Address | undefined;
}
