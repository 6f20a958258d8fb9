import { base64url, exportJWK, generateKeyPair, SignJWT } from "jose";
import type { Schemas } from "./routes.ts";

/** Key pair that proves possession of an API key (RFC 9449). The API stores the public key. */
export type ProofKey = { publicJwk: NonNullable<Schemas["PublicJwk"]>; privateKey: CryptoKey };

/**
 * Make a proof key. Send `publicJwk` with `POST /v1/keys`, and give the whole to `createClient`.
 *
 * @param options `extractable: true` lets the private key be exported and stored; by default it stays in memory
 *
 * @example
 * ```ts
 * import { createClient, createProofKey } from "@hearth/wire";
 *
 * const proofKey = await createProofKey();
 * const till = createClient({ baseUrl: "http://localhost:3000", key: "hk_…", proofKey });
 * ```
 */
export async function createProofKey(options: { extractable?: boolean } = {}): Promise<ProofKey> {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: options.extractable ?? false });
  return { publicJwk: (await exportJWK(publicKey)) as ProofKey["publicJwk"], privateKey };
}

type Target = { key: string; method: string; url: URL; now: number };

/** Sign the proof of one request. `now` is in milliseconds since 1970. */
export async function proofOf(proofKey: ProofKey, { key, method, url, now }: Target): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  const ath = base64url.encode(new Uint8Array(digest));
  const jwk = proofKey.publicJwk;
  return new SignJWT({ htm: method, htu: url.origin + url.pathname, jti: crypto.randomUUID(), ath })
    .setProtectedHeader({ typ: "dpop+jwt", alg: jwk.crv === "Ed25519" ? "EdDSA" : "ES256", jwk })
    .setIssuedAt(Math.floor(now / 1000))
    .sign(proofKey.privateKey);
}
