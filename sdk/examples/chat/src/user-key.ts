import { DID, delegate } from "@ucanto/core";
import { ed25519 } from "@ucanto/principal";

/** A token as `OraclesProvider` expects it. */
export type Minted = { serialized: string; expiresAt: number };

/** A user's key, and the two functions that `OraclesProvider` needs. */
export type UserKey = {
  /** The user's did:key. */
  did: string;
  /** The private key as text; keep it secret. */
  secret: string;
  createDelegation: (oracleDid: string) => Promise<Minted>;
  createInvocation: (oracleDid: string) => Promise<Minted>;
};

/** Lifetimes of tokens in seconds. Oracles accept invocations of 15 minutes at most. */
export type Lifetimes = { delegation?: number; invocation?: number };

/** Generate a key. */
export async function makeUserKey(lifetimes?: Lifetimes): Promise<UserKey> {
  return openUserKey(ed25519.format(await ed25519.generate()), lifetimes);
}

/** Open a stored key. @throws Error when the text is not a key */
export function openUserKey(secret: string, { delegation = 24 * 3600, invocation = 600 }: Lifetimes = {}): UserKey {
  const key = ed25519.parse(secret);
  const did = key.did();
  /** Allows chatting with the oracle as this user. */
  const chat = { can: "oracle/chat", with: "ixo:oracle" } as const;
  /** Allows the oracle to read and write this user's files. */
  const files = { can: "fs/*", with: `vfs://${encodeURIComponent(did)}` } as const;
  return {
    did,
    secret,
    createInvocation: (oracleDid) => mint(key, oracleDid, [chat], invocation),
    createDelegation: (oracleDid) => mint(key, oracleDid, [chat, files], delegation),
  };
}

type Key = ReturnType<typeof ed25519.parse>;
type Capabilities = Parameters<typeof delegate>[0]["capabilities"];

async function mint(issuer: Key, oracleDid: string, capabilities: Capabilities, seconds: number): Promise<Minted> {
  const expiration = Math.floor(Date.now() / 1000) + seconds;
  const audience = DID.parse(oracleDid as `did:${string}:${string}`);
  const token = await delegate({ issuer, audience, capabilities, expiration });
  const { ok: bytes, error } = await token.archive();
  if (bytes === undefined) throw error;
  return { serialized: base64(bytes), expiresAt: expiration * 1000 };
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
