import { DID, delegate } from "@ucanto/core";
import { ed25519 } from "@ucanto/principal";

/** What an `OraclesProvider` asks for. */
export type Minted = { serialized: string; expiresAt: number };

/** Somebody's key, and the two functions that `OraclesProvider` takes. */
export type UserKey = {
  /** The user's name: a did:key. */
  did: string;
  /** The key as text; whoever has it is this user. */
  secret: string;
  createDelegation: (oracleDid: string) => Promise<Minted>;
  createInvocation: (oracleDid: string) => Promise<Minted>;
};

/** How long tokens are good for, in seconds. An oracle takes no invocation of more than 15 minutes. */
export type Lifetimes = { delegation?: number; invocation?: number };

/** Make a new key. */
export async function makeUserKey(lifetimes?: Lifetimes): Promise<UserKey> {
  return openUserKey(ed25519.format(await ed25519.generate()), lifetimes);
}

/** The user of a key that was kept. @throws Error when the text is no key */
export function openUserKey(secret: string, { delegation = 24 * 3600, invocation = 600 }: Lifetimes = {}): UserKey {
  const key = ed25519.parse(secret);
  const did = key.did();
  /** May talk to the oracle as this user. */
  const chat = { can: "oracle/chat", with: "ixo:oracle" } as const;
  /** May read and write this user's files, for what it keeps in the user's name. */
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
