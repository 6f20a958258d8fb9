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
  /** Media type of the JWS, such as `JWT` or `vc+jwt`. */
  typ?: string;
};

/** The service's DIDs, and signing with its keys. */
export type ServiceIdentity = {
  /** did:web of PUBLIC_URL: issuer of the service's signatures, and audience of tokens. */
  did: `did:web:${string}`;
  /** did:key of the service key: also an audience of tokens, and owner of the scheme's files. It is never rotated. */
  keyDid: `did:key:${string}`;
  /** `did` and `keyDid`. */
  audiences: readonly string[];
  /** did:key of the signing key: the service key until the first rotation. */
  signingKeyDid: `did:key:${string}`;
  /** `kid` of every signature: a verification method of `document`. */
  keyId: string;
  /** Public key of `keyId`. */
  publicJwk: JWK;
  /** DID document at `/.well-known/did.json`. */
  document: DidDocument;
  /**
   * Sign a payload as compact JWS (EdDSA, with `kid`): an object as JSON, text or bytes unchanged. For a credential as JWT pass its
   * claims with `iss` = `did`.
   */
  signJws(payload: Record<string, unknown> | string | Uint8Array, header?: JwsHeader): Promise<string>;
  /** Verify a JWS of this service and return its payload. @throws an error of jose when it is not valid */
  verifyJws(jws: string): Promise<Uint8Array>;
  /** Sign bytes with Ed25519. Returns 64 bytes, the same for the same input. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
  /** Return the service key as issuer of capability tokens for the namespace `keyDid`. It holds the private key: never log it. */
  principal(): Signer;
};

const signWith = promisify(sign);

type IdentityConfig = Pick<PlatformConfig, "dataDir" | "publicUrl" | "serviceKey"> &
  Partial<Pick<PlatformConfig, "signingKey" | "previousSigningKeys">>;

/**
 * Open the service's identity. Its Ed25519 key is SERVICE_KEY, or is created at the first start in `dataDir`/keys. It signs with
 * SIGNING_KEY, else with the key of the last rotation, else with the service key.
 */
export async function openIdentity(config: IdentityConfig): Promise<ServiceIdentity> {
  // Several machines share SERVICE_KEY; none of them may sign with a key that only its own folder holds.
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
    // For Ed25519, Node requires null as the algorithm.
    sign: (bytes) => signWith(null, bytes, privateKey),
    principal: () => principal,
  };
}

/** Read an Ed25519 did:key. @throws Error for another DID: then the file of former keys is damaged */
function publicKeyOf(keyDid: string): PublicKey {
  const key = readEd25519Key(keyDid);
  if (key === undefined) throw new Error(`${keyDid} is no Ed25519 did:key. Previous signing keys are such DIDs.`);
  return key;
}

function toBytes(payload: Record<string, unknown> | string | Uint8Array): Uint8Array {
  if (payload instanceof Uint8Array) return payload;
  return new TextEncoder().encode(typeof payload === "string" ? payload : JSON.stringify(payload));
}
