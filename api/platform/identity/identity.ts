import { createPrivateKey, sign } from "node:crypto";
import { promisify } from "node:util";
import type { Signer } from "@ucanto/interface";
import { ed25519 } from "@ucanto/principal";
import { CompactSign, compactVerify, importJWK, type JWK } from "jose";
import { base58btc } from "multiformats/bases/base58";
import type { PlatformConfig } from "../config.ts";
import { loadOrCreateSecret } from "../secrets.ts";
import { didWebOf } from "./did-web.ts";
import { type DidDocument, identityDocument } from "./document.ts";

export type JwsHeader = {
  /** Media type of the whole, such as `JWT` or `vc+jwt`. */
  typ?: string;
};

/** Who this service is, and its signature. */
export type ServiceIdentity = {
  /** did:web of PUBLIC_URL: the issuer of what the service signs, and the audience of tokens. */
  did: `did:web:${string}`;
  /** The same key as did:key; an audience of tokens too. */
  keyDid: `did:key:${string}`;
  /** Both DIDs. */
  audiences: readonly string[];
  /** `kid` of everything signed: a verification method of `document`. */
  keyId: string;
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

/** Open the service's identity: its Ed25519 key is SERVICE_KEY, or made on first start under `dataDir`/keys. */
export async function openIdentity(
  config: Pick<PlatformConfig, "dataDir" | "publicUrl" | "serviceKey">,
): Promise<ServiceIdentity> {
  const seed = Buffer.from(config.serviceKey ?? (await loadOrCreateSecret(config.dataDir, "service")), "hex");
  const principal = await ed25519.derive(seed);
  const did = didWebOf(config.publicUrl);
  const keyDid = principal.verifier.did();
  const keyId = `${did}#${keyDid.slice("did:key:".length)}`;
  // A did:key is the key behind two bytes that tell its kind.
  const x = Buffer.from(base58btc.decode(keyDid.slice("did:key:".length)).subarray(2)).toString("base64url");
  const publicJwk: JWK = { kty: "OKP", crv: "Ed25519", x };
  const privateKey = createPrivateKey({ format: "jwk", key: { ...publicJwk, d: seed.toString("base64url") } });
  const publicKey = await importJWK(publicJwk, "EdDSA");
  return {
    did,
    keyDid,
    audiences: [did, keyDid],
    keyId,
    publicJwk,
    document: identityDocument({ did, keyDid, keyId, publicJwk }),
    signJws: (payload, header = {}) =>
      new CompactSign(toBytes(payload)).setProtectedHeader({ alg: "EdDSA", kid: keyId, ...header }).sign(privateKey),
    verifyJws: async (jws) => (await compactVerify(jws, publicKey, { algorithms: ["EdDSA"] })).payload,
    // No algorithm is named: it is the key's own.
    sign: (bytes) => signWith(null, bytes, privateKey),
    principal: () => principal,
  };
}

function toBytes(payload: Record<string, unknown> | string | Uint8Array): Uint8Array {
  if (payload instanceof Uint8Array) return payload;
  return new TextEncoder().encode(typeof payload === "string" ? payload : JSON.stringify(payload));
}
