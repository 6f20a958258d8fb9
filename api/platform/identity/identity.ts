import { createPrivateKey, sign } from "node:crypto";
import { promisify } from "node:util";
import type { Signer } from "@ucanto/interface";
import { ed25519 } from "@ucanto/principal";
import { CompactSign, compactVerify, importJWK, type JWK } from "jose";
import type { PlatformConfig } from "../config.ts";
import { loadOrCreateSecret } from "../secrets.ts";
import { didWebOf } from "./did-web.ts";
import { type DidDocument, identityDocument, keyIdOf } from "./document.ts";
import { type PublicKey, readEd25519Key } from "./public-key.ts";
import { readSigningKeys } from "./signing-keys.ts";

export type JwsHeader = {
  /** Media type of the whole, such as `JWT` or `vc+jwt`. */
  typ?: string;
};

/** Who this service is, and its signature. */
export type ServiceIdentity = {
  /** did:web of PUBLIC_URL: the issuer of what the service signs, and the audience of tokens. */
  did: `did:web:${string}`;
  /** The service key as did:key: an audience of tokens too, and owner of the scheme's files. It is never rotated. */
  keyDid: `did:key:${string}`;
  /** Both DIDs. */
  audiences: readonly string[];
  /** The key that signs, as did:key: the service key until the signing key is rotated. */
  signingKeyDid: `did:key:${string}`;
  /** `kid` of everything signed: a verification method of `document`. */
  keyId: string;
  /** The public key that belongs to `keyId`. */
  publicJwk: JWK;
  /** The DID document that `/.well-known/did.json` answers with. */
  document: DidDocument;
  /**
   * Sign as compact JWS (EdDSA, with `kid`): an object as JSON, text or bytes as they are. For a credential as JWT give its claims
   * with `iss` = `did`.
   */
  signJws(payload: Record<string, unknown> | string | Uint8Array, header?: JwsHeader): Promise<string>;
  /** The bytes that this service's key signed. @throws an error of jose when another key, algorithm or payload did */
  verifyJws(jws: string): Promise<Uint8Array>;
  /** The bare Ed25519 signature of bytes: 64 bytes, the same for the same bytes. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
  /** The key as issuer of capability tokens over its own namespace, `keyDid`. It holds the private key: never log it. */
  principal(): Signer;
};

const signWith = promisify(sign);

type IdentityConfig = Pick<PlatformConfig, "dataDir" | "publicUrl" | "serviceKey"> &
  Partial<Pick<PlatformConfig, "signingKey" | "previousSigningKeys">>;

/**
 * Open the service's identity. Its Ed25519 key is SERVICE_KEY, or made on first start under `dataDir`/keys. It signs with
 * SIGNING_KEY, else with the key of the last rotation, else with the service key.
 */
export async function openIdentity(config: IdentityConfig): Promise<ServiceIdentity> {
  // Several machines share SERVICE_KEY, and none of them may sign with a key that only its own folder has.
  const kept =
    config.serviceKey === undefined ? await readSigningKeys(config.dataDir) : { seed: undefined, previous: [] };
  const serviceSeed = config.serviceKey ?? (await loadOrCreateSecret(config.dataDir, "service"));
  const principal = await ed25519.derive(Buffer.from(serviceSeed, "hex"));
  const seed = Buffer.from(config.signingKey ?? kept.seed ?? serviceSeed, "hex");
  const service = publicKeyOf(principal.verifier.did());
  const signing = publicKeyOf((await ed25519.derive(seed)).verifier.did());
  const previous = [...(config.previousSigningKeys ?? []), ...kept.previous].map(publicKeyOf);
  const did = didWebOf(config.publicUrl);
  const { keyDid } = service;
  const { publicJwk } = signing;
  const keyId = keyIdOf(did, signing.keyDid);
  const privateKey = createPrivateKey({ format: "jwk", key: { ...publicJwk, d: seed.toString("base64url") } });
  const publicKey = await importJWK(publicJwk, "EdDSA");
  return {
    did,
    keyDid,
    audiences: [did, keyDid],
    signingKeyDid: signing.keyDid,
    keyId,
    publicJwk,
    document: identityDocument({ did, service, signing, previous }),
    signJws: (payload, header = {}) =>
      new CompactSign(toBytes(payload)).setProtectedHeader({ alg: "EdDSA", kid: keyId, ...header }).sign(privateKey),
    verifyJws: async (jws) => (await compactVerify(jws, publicKey, { algorithms: ["EdDSA"] })).payload,
    // No algorithm is named: it is the key's own.
    sign: (bytes) => signWith(null, bytes, privateKey),
    principal: () => principal,
  };
}

/** @throws Error when the DID is no Ed25519 did:key, which is so only for a damaged file of previous keys */
function publicKeyOf(keyDid: string): PublicKey {
  const key = readEd25519Key(keyDid);
  if (key === undefined) throw new Error(`${keyDid} is no Ed25519 did:key. Previous signing keys are such DIDs.`);
  return key;
}

function toBytes(payload: Record<string, unknown> | string | Uint8Array): Uint8Array {
  if (payload instanceof Uint8Array) return payload;
  return new TextEncoder().encode(typeof payload === "string" ? payload : JSON.stringify(payload));
}
