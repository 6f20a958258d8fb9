import { importJWK } from "jose";
import type { Clock } from "../clock.ts";
import type { Actor } from "../http/index.ts";
import { parseRanges, type Ranges } from "../values/networks.ts";
import { hashSecret, parseKey, sameHash } from "./format.ts";
import type { KeyRow, KeyStore } from "./store.ts";

/** A key that exists, is in force and whose secret was shown. */
export type VerifiedKey = {
  actor: Actor;
  /** Null: the server's default. */
  requestsPerMinute: number | null;
  ranges: Ranges | null;
  /** The key that DPoP proofs must be signed with; undefined when the API key is not bound to one. */
  proofKey: { jwk: NonNullable<KeyRow["publicJwk"]>; verifying: Promise<CryptoKey | Uint8Array> } | undefined;
};

type Cached = { loadedAt: number; row: KeyRow; verified: VerifiedKey };

/** How long a key is taken from memory before the database is asked again: how late another process's revocation works. */
const cacheMs = 1000;
const cacheSize = 10_000;

export type KeyVerifier = ReturnType<typeof createKeyVerifier>;

/**
 * Checks API keys with next to no database work: one read per key and second.
 * `adminKeys` are whole keys of any form that act as admin (ADMIN_API_KEY, the operator's key of this process).
 */
export function createKeyVerifier(options: { store: KeyStore; clock: Clock; adminKeys: string[] }) {
  const { store, clock } = options;
  const admins = options.adminKeys.map((key) => ({ hash: hashSecret(key), verified: adminKey() }));
  const cache = new Map<string, Cached>();
  const loading = new Map<string, Promise<Cached | undefined>>();
  let forgotten = 0;

  async function load(id: string): Promise<Cached | undefined> {
    const loadedAt = clock.now().getTime();
    const forgottenBefore = forgotten;
    const row = await store.find(id);
    cache.delete(id);
    if (row === undefined) return undefined;
    // What was read before a revocation is not remembered after it.
    if (forgotten !== forgottenBefore) return { loadedAt, row, verified: toVerified(row) };
    if (cache.size >= cacheSize) cache.delete(cache.keys().next().value as string);
    const entry = { loadedAt, row, verified: toVerified(row) };
    cache.set(id, entry);
    return entry;
  }

  async function find(id: string): Promise<Cached | undefined> {
    const cached = cache.get(id);
    if (cached !== undefined && clock.now().getTime() - cached.loadedAt < cacheMs) return cached;
    let running = loading.get(id);
    if (running === undefined) {
      const started = load(id).finally(() => loading.get(id) === started && loading.delete(id));
      running = started;
      loading.set(id, started);
    }
    return running;
  }

  return {
    /** The key's holder, or undefined when the text is no key, is unknown, wrong, expired or revoked. */
    async verify(text: string): Promise<VerifiedKey | undefined> {
      const whole = hashSecret(text);
      const admin = admins.find(({ hash }) => sameHash(hash, whole));
      if (admin !== undefined) return admin.verified;
      const parts = parseKey(text);
      if (parts === undefined) return undefined;
      const entry = await find(parts.id);
      if (entry === undefined || !sameHash(entry.row.secretHash, hashSecret(parts.secret))) return undefined;
      const { revokedAt, expiresAt } = entry.row;
      const inForce = revokedAt === null && (expiresAt === null || expiresAt > clock.now());
      return inForce ? entry.verified : undefined;
    },
    /** Drop what is remembered of a key, so that its revocation works at once in this process. */
    forget(id: string): void {
      forgotten++;
      cache.delete(id);
      loading.delete(id);
    },
  };
}

function adminKey(): VerifiedKey {
  const actor: Actor = { keyId: "admin", role: "admin", scopes: [], dids: null };
  return { actor, requestsPerMinute: null, ranges: null, proofKey: undefined };
}

function toVerified(row: KeyRow): VerifiedKey {
  const actor: Actor = { keyId: row.id, role: row.role, scopes: row.scopes, dids: row.dids };
  if (row.supplierDid !== null) actor.supplierDid = row.supplierDid;
  if (row.implementerDid !== null) actor.implementerDid = row.implementerDid;
  const { publicJwk } = row;
  return {
    actor,
    requestsPerMinute: row.requestsPerMinute,
    ranges: row.ipRanges === null ? null : parseRanges(row.ipRanges),
    proofKey:
      publicJwk === null
        ? undefined
        : { jwk: publicJwk, verifying: importJWK(publicJwk, proofAlgorithm(publicJwk.kty)) },
  };
}

function proofAlgorithm(kty: string | undefined): string {
  return kty === "EC" ? "ES256" : "EdDSA";
}
