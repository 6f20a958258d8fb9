import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import type { Schemas } from "../../../wire/src/routes.ts";
import { isRemembered } from "./vault.ts";

/** Public key of a pair whose private key can sign in this browser, but cannot be read. */
export type ProofKey = { id: string; publicJwk: PublicJwk };

type PublicJwk = NonNullable<Schemas["PublicJwk"]>;
type KeptKey = { key: CryptoKey; madeAt: number; lasting: boolean };
interface Schema extends DBSchema {
  keys: { key: string; value: KeptKey };
}

const databaseName = "hearth-proof-keys";
/** A tab that is reloading holds no lock: keys younger than a day are not deleted. */
const graceMs = 86_400_000;
const inMemory = new Map<string, CryptoKey>();

/** Generate a P-256 pair; its private key cannot leave the browser. */
export async function createProofKey(): Promise<ProofKey> {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: false });
  return await keepKey(publicPart(await exportJWK(publicKey)), privateKey);
}

/** Import a pasted private JWK; undefined when it cannot sign proofs. */
export async function importProofKey(text: string): Promise<ProofKey | undefined> {
  let jwk: JWK;
  let key: CryptoKey | Uint8Array;
  try {
    jwk = JSON.parse(text) as JWK;
    if (jwk.d === undefined || (jwk.kty !== "EC" && jwk.kty !== "OKP")) return undefined;
    key = await importJWK({ ...jwk, ext: false }, algorithmOf(jwk), { extractable: false });
  } catch {
    return undefined;
  }
  return key instanceof CryptoKey ? await keepKey(publicPart(jwk), key) : undefined;
}

/** JWS algorithm of proofs by a key. */
export function algorithmOf({ kty }: JWK): "EdDSA" | "ES256" {
  return kty === "OKP" ? "EdDSA" : "ES256";
}

/** The private key, also after a reload of the tab; undefined when the browser no longer has it. */
export async function signingKey({ id }: ProofKey): Promise<CryptoKey | undefined> {
  const known = inMemory.get(id);
  if (known !== undefined) return known;
  const kept = await onDevice((database) => database.get("keys", id));
  if (kept !== undefined) use(id, kept.key);
  return kept?.key;
}

/** Keep the key when the tab closes, or no longer, as the user chose. */
export async function setLasting({ id }: ProofKey, lasting: boolean): Promise<void> {
  await onDevice(async (database) => {
    const kept = await database.get("keys", id);
    if (kept !== undefined) await database.put("keys", { ...kept, lasting }, id);
  });
}

export async function forgetProofKey({ id }: ProofKey): Promise<void> {
  inMemory.delete(id);
  await onDevice((database) => database.delete("keys", id));
}

async function keepKey(publicJwk: PublicJwk, key: CryptoKey): Promise<ProofKey> {
  const id = await calculateJwkThumbprint(publicJwk);
  use(id, key);
  await onDevice(async (database) => {
    await sweep(database);
    await database.put("keys", { key, madeAt: Date.now(), lasting: isRemembered() }, id);
  });
  return { id, publicJwk };
}

/** Hold the key's lock as long as the tab lives, so that no other tab deletes the key as unused. */
function use(id: string, key: CryptoKey): void {
  inMemory.set(id, key);
  if (!("locks" in navigator)) return;
  void navigator.locks.request(lockOf(id), { mode: "shared" }, () => new Promise<never>(() => {}));
}

/** Delete the keys of closed tabs: their tokens are gone, so the keys are useless. */
async function sweep(database: IDBPDatabase<Schema>): Promise<void> {
  if (!("locks" in navigator)) return;
  const { held = [] } = await navigator.locks.query();
  const inUse = new Set(held.map(({ name }) => name));
  for (const id of await database.getAllKeys("keys")) {
    const kept = await database.get("keys", id);
    const isLeft = kept !== undefined && !kept.lasting && kept.madeAt < Date.now() - graceMs;
    if (isLeft && !inUse.has(lockOf(id))) await database.delete("keys", id);
  }
}

const lockOf = (id: string) => `hearth-proof-key ${id}`;

/** The members of a public JWK, for both kinds of keys that sign proofs. */
function publicPart({ kty, x = "", y = "" }: JWK): PublicJwk {
  return kty === "OKP" ? { kty: "OKP", crv: "Ed25519", x } : { kty: "EC", crv: "P-256", x, y };
}

/** Close the connection immediately, so that another tab can delete the database. */
async function onDevice<T>(work: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
  const upgrade = (database: IDBPDatabase<Schema>) => void database.createObjectStore("keys");
  const database = await openDB<Schema>(databaseName, 1, { upgrade });
  try {
    return await work(database);
  } finally {
    database.close();
  }
}
