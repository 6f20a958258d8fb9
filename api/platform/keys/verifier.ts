import { importJWK, type JWK } from "jose";
import type { Clock } from "../clock.ts";
import type { Actor } from "../http/index.ts";
import { parseRanges, type Ranges } from "../values/networks.ts";
import { hashSecret, parseKey, sameHash } from "./format.ts";
import type { KeyRow, KeyStore } from "./store.ts";

/** A valid key whose secret the caller has sent. */
export type VerifiedKey = {
  actor: Actor;
  /** Null: the server's default. */
  requestsPerMinute: number | null;
  ranges: Ranges | null;
  /** Public key of the required DPoP proofs; undefined when the API key is not bound to one. */
  proofKey: { jwk: NonNullable<KeyRow["publicJwk"]>; verifying: Promise<CryptoKey | Uint8Array> } | undefined;
};

type Cached = { loadedAt: number; row: KeyRow; verified: VerifiedKey };

/** How long a key is cached, in milliseconds. A revocation by another process takes effect after that. */
const cacheMs = 1000;
const cacheSize = 10_000;
/** Id of the admin keys of the configuration. */
const configuredAdmin = "admin";

export type KeyVerifier = ReturnType<typeof createKeyVerifier>;

/**
 * Create a verifier of API keys that reads each key from the database at most once a second.
 * `adminKeys` are keys of any form that act as admin (ADMIN_API_KEY, the operator key of this process).
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
    // A row that was read before a revocation must not be cached after it.
    if (forgotten !== forgottenBefore) return { loadedAt, row, verified: toVerified(row) };
    if (cache.size >= cacheSize) cache.delete(cache.keys().next().value as string);
    const entry = { loadedAt, row, verified: toVerified(row) };
    cache.set(id, entry);
    return entry;
  }

  async function find(id: string): Promise<Cached | undefined> {
    const cached = cache.get(id);
    // Absolute: after the clock was set back, a cached value must not stay fresh.
    if (cached !== undefined && Math.abs(clock.now().getTime() - cached.loadedAt) < cacheMs) return cached;
    let running = loading.get(id);
    if (running === undefined) {
      const started = load(id).finally(() => loading.get(id) === started && loading.delete(id));
      running = started;
      loading.set(id, started);
    }
    return running;
  }

  return {
    /** Return the key's holder; undefined when the text is not a key, or it is unknown, wrong, expired or revoked. */
    async verify(text: string): Promise<VerifiedKey | undefined> {
      const whole = hashSecret(text);
      const admin = admins.find(({ hash }) => sameHash(hash, whole));
      if (admin !== undefined) return admin.verified;
      const parts = parseKey(text);
      if (parts === undefined) return undefined;
      const entry = await find(parts.id);
      if (entry === undefined || !sameHash(entry.row.secretHash, hashSecret(parts.secret))) return undefined;
      return isInForce(entry.row, clock.now()) ? entry.verified : undefined;
    },
    /** Check whether the key of an id is valid now: neither expired nor revoked, or an admin's key from the configuration. */
    async isInForce(id: string): Promise<boolean> {
      if (id === configuredAdmin) return admins.length > 0;
      const entry = await find(id);
      return entry !== undefined && isInForce(entry.row, clock.now());
    },
    /** Remove a key from the cache, so that its revocation takes effect immediately in this process. */
    forget(id: string): void {
      forgotten++;
      cache.delete(id);
      loading.delete(id);
    },
  };
}

function isInForce({ revokedAt, expiresAt }: KeyRow, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}

function adminKey(): VerifiedKey {
  const actor: Actor = { keyId: configuredAdmin, role: "admin", scopes: [], dids: null };
  return { actor, requestsPerMinute: null, ranges: null, proofKey: undefined };
}

function toVerified(row: KeyRow): VerifiedKey {
  const actor: Actor = { keyId: row.id, role: row.role, scopes: row.scopes, dids: row.dids };
  if (row.supplierDid !== null) actor.supplierDid = row.supplierDid;
  if (row.implementerDid !== null) actor.implementerDid = row.implementerDid;
  if (row.adapter !== null) actor.adapter = row.adapter;
  const { publicJwk } = row;
  return {
    actor,
    requestsPerMinute: row.requestsPerMinute,
    ranges: row.ipRanges === null ? null : parseRanges(row.ipRanges),
    proofKey: publicJwk === null ? undefined : toProofKey(publicJwk),
  };
}

/** Import the public key of DPoP proofs. */
export function toProofKey(jwk: JWK): NonNullable<VerifiedKey["proofKey"]> {
  return { jwk, verifying: importJWK(jwk, proofAlgorithm(jwk.kty)) };
}

function proofAlgorithm(kty: string | undefined): string {
  return kty === "EC" ? "ES256" : "EdDSA";
}
