import { base64url, SignJWT } from "jose";
import { serverNow } from "../api/server-time.ts";
import { algorithmOf, type ProofKey, signingKey } from "./proof-keys.ts";

type Target = { token: string; method: string; url: URL };

/** Make a proof of possession for one request (RFC 9449); undefined when this browser no longer has the key. */
export async function provePossession(proofKey: ProofKey, { token, method, url }: Target): Promise<string | undefined> {
  const key = await signingKey(proofKey);
  if (key === undefined) return undefined;
  const { publicJwk } = proofKey;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  const ath = base64url.encode(new Uint8Array(digest));
  return new SignJWT({ htm: method, htu: url.origin + url.pathname, jti: crypto.randomUUID(), ath })
    .setProtectedHeader({ typ: "dpop+jwt", alg: algorithmOf(publicJwk), jwk: publicJwk })
    .setIssuedAt(Math.floor(serverNow() / 1000))
    .sign(key);
}
