import { base64url, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";

type Target = { token: string; method: string; url: URL };

const algorithmOf = (jwk: JWK) => (jwk.kty === "OKP" ? "EdDSA" : "ES256");

/** The public part of a private JWK. */
export function publicPart(jwk: JsonWebKey): JWK {
  const { kty, crv, x, y } = jwk as JWK;
  return { kty, crv, x, ...(y === undefined ? {} : { y }) } as JWK;
}

/** A fresh proof of possession for one request (RFC 9449). */
export async function provePossession(jwk: JsonWebKey, { token, method, url }: Target): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  const ath = base64url.encode(new Uint8Array(digest));
  const alg = algorithmOf(jwk as JWK);
  return new SignJWT({ htm: method, htu: url.origin + url.pathname, jti: crypto.randomUUID(), ath })
    .setProtectedHeader({ typ: "dpop+jwt", alg, jwk: publicPart(jwk) })
    .setIssuedAt()
    .sign(await importJWK(jwk as JWK, alg));
}

/** A new P-256 pair as a private JWK. */
export async function createProofKey(): Promise<JsonWebKey> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return (await exportJWK(privateKey)) as JsonWebKey;
}

/** A private JWK as somebody pasted it; undefined when it is none that can sign proofs. */
export async function readProofKey(text: string): Promise<JsonWebKey | undefined> {
  try {
    const jwk = JSON.parse(text) as JWK;
    if (jwk.d === undefined || (jwk.kty !== "EC" && jwk.kty !== "OKP")) return undefined;
    await importJWK(jwk, algorithmOf(jwk));
    return { ...publicPart(jwk as JsonWebKey), d: jwk.d } as JsonWebKey;
  } catch {
    return undefined;
  }
}

/** RFC 7638 thumbprint of the public part. */
export function thumbprintOf(jwk: JsonWebKey): Promise<string> {
  return calculateJwkThumbprint(publicPart(jwk));
}
