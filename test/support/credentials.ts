import { createECDH, createHash, createPrivateKey, createPublicKey, randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { bytesToBase58, createJWS, EdDSASigner, ES256KSigner, ES256Signer, type Signer } from "did-jwt";

export type Algorithm = "EdDSA" | "ES256K" | "ES256";
type Json = Record<string, unknown>;

export type SignOptions = {
  type: string | string[];
  subject: Json;
  /** Data model; 1.1 puts the credential into the `vc` claim. */
  version?: "1.1" | "2.0";
  issuedAt?: Date;
  expiresAt?: Date;
  credentialStatus?: Json | Json[];
  id?: string;
  /** Members to add to, or (undefined) drop from, the credential, the claims and the header. */
  credential?: Json;
  claims?: Json;
  header?: Json;
};

export type TestIssuer = {
  did: string;
  alg: Algorithm;
  publicJwk: Json;
  /** Issue a compact VC-JWT. */
  signCredential(options: SignOptions): Promise<string>;
  /** Sign any claims under any header. */
  signToken(claims: Json | string, header?: Json): Promise<string>;
};

const MULTICODEC: Record<Algorithm, number[]> = { EdDSA: [0xed, 0x01], ES256K: [0xe7, 0x01], ES256: [0x80, 0x24] };

export type IssuerOptions = { alg?: Algorithm; did?: string; privateKey?: Uint8Array };

/** Make an issuer with a fresh (or the given 32-byte) key; its DID is the key's did:key unless another is given. */
export function createIssuer({ alg = "EdDSA", did, privateKey = randomBytes(32) }: IssuerOptions = {}): TestIssuer {
  const publicJwk = publicJwkOf(alg, privateKey);
  const signer = signerOf(alg, privateKey);
  const issuerDid = did ?? didKeyOf(alg, publicJwk);
  const signToken = (claims: Json | string, header: Json = {}) =>
    createJWS(typeof claims === "string" ? claims : dropUndefined(claims), signer, dropUndefined({ alg, ...header }));
  return {
    did: issuerDid,
    alg,
    publicJwk,
    signToken,
    signCredential: (options) => signToken(claimsOf(issuerDid, options), { typ: "JWT", ...options.header }),
  };
}

/** The DID of a public key. */
export function didKeyOf(alg: Algorithm, jwk: Json): string {
  const x = Buffer.from(String(jwk.x), "base64url");
  const point = alg === "EdDSA" ? x : Buffer.concat([Buffer.from([2 + (lastByte(jwk.y) & 1)]), x]);
  return `did:key:z${bytesToBase58(Buffer.concat([Buffer.from(MULTICODEC[alg]), point]))}`;
}

/** An issuer's DID document, for did:web. */
export function didDocumentOf(issuer: TestIssuer, changes: Json = {}): Json {
  const id = `${issuer.did}#key-1`;
  const verificationMethod = [{ id, type: "JsonWebKey2020", controller: issuer.did, publicKeyJwk: issuer.publicJwk }];
  return { id: issuer.did, verificationMethod, assertionMethod: [id], ...changes };
}

/** `encodedList` of a Bitstring Status List of `size` entries with the given ones set. */
export function encodeStatusList(set: number[], size = 131_072): string {
  const bits = Buffer.alloc(Math.ceil(size / 8));
  for (const index of set) bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7));
  return `u${gzipSync(bits).toString("base64url")}`;
}

/** The compact token's credential hash, as on chain. */
export function hashOf(jwt: string): `0x${string}` {
  return `0x${createHash("sha256").update(jwt).digest("hex")}`;
}

function claimsOf(did: string, options: SignOptions): Json {
  const { type, subject, version = "1.1", issuedAt = new Date(), expiresAt, credentialStatus, id } = options;
  const v1 = version === "1.1";
  const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
  const credential: Json = {
    "@context": [v1 ? "https://www.w3.org/2018/credentials/v1" : "https://www.w3.org/ns/credentials/v2"],
    type: ["VerifiableCredential", ...(Array.isArray(type) ? type : [type])],
    credentialSubject: subject,
    credentialStatus,
    ...(v1 ? {} : { id, issuer: did, validFrom: issuedAt.toISOString(), validUntil: expiresAt?.toISOString() }),
    ...options.credential,
  };
  if (!v1) return { iss: did, iat: seconds(issuedAt), ...credential, ...options.claims };
  const exp = expiresAt && seconds(expiresAt);
  return { iss: did, nbf: seconds(issuedAt), exp, jti: id, vc: dropUndefined(credential), ...options.claims };
}

function publicJwkOf(alg: Algorithm, privateKey: Uint8Array): Json {
  if (alg === "EdDSA") {
    const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), privateKey]);
    const key = createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
    return key.export({ format: "jwk" }) as Json;
  }
  const ecdh = createECDH(alg === "ES256" ? "prime256v1" : "secp256k1");
  ecdh.setPrivateKey(privateKey);
  const point = ecdh.getPublicKey();
  const coordinate = (from: number) => point.subarray(from, from + 32).toString("base64url");
  return { kty: "EC", crv: alg === "ES256" ? "P-256" : "secp256k1", x: coordinate(1), y: coordinate(33) };
}

function signerOf(alg: Algorithm, privateKey: Uint8Array): Signer {
  if (alg === "EdDSA") return EdDSASigner(privateKey);
  return alg === "ES256" ? ES256Signer(privateKey) : ES256KSigner(privateKey);
}

function lastByte(coordinate: unknown): number {
  return Buffer.from(String(coordinate), "base64url").at(-1) ?? 0;
}

function dropUndefined(json: Json): Json {
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined));
}
