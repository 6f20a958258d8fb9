import { createHash } from "node:crypto";
import { jwtVerify } from "jose";
import { loopbackHosts } from "../values/loopback.ts";
import type { VerifiedKey } from "./verifier.ts";

/** Largest difference between a proof's `iat` and now, in seconds. */
const proofWindow = 60;
const algorithms = ["ES256", "EdDSA", "Ed25519"];

/** Stores used proofs. `use` returns false when the id was used before. */
export type ProofStore = {
  use: (id: string, expiresAt: Date) => Promise<boolean>;
};

export type ProofRequest = {
  proof: string | undefined;
  /** The API key as the client sent it. */
  token: string;
  method: string;
  /** The request's URL at each configured host; `htu` must name one of them. */
  urls: string[];
  now: Date;
};

/** Check a proof by RFC 9449 section 4.3. Returns why it is refused; undefined when it is accepted. */
export async function checkProof(
  key: NonNullable<VerifiedKey["proofKey"]>,
  keyId: string,
  request: ProofRequest,
  store: ProofStore,
): Promise<string | undefined> {
  const { proof, now } = request;
  if (proof === undefined) return "This key needs a DPoP proof as well.";
  // Node joins two DPoP headers by a comma, which a compact JWT cannot hold.
  if (proof.length > 8192 || proof.includes(",")) return "Send exactly one DPoP proof of at most 8 KiB.";
  const verified = await verifyProof(proof, await key.verifying);
  if (verified === undefined) return "The DPoP proof is not signed by the key that this API key is bound to.";
  const { payload, protectedHeader } = verified;
  if (!isSameKey(protectedHeader.jwk, key.jwk))
    return "The DPoP proof names another key than the one that this API key is bound to.";
  if (payload.htm !== request.method) return "The DPoP proof is for another method (htm).";
  if (!request.urls.some((url) => isSameTarget(payload.htu, url))) return "The DPoP proof is for another URL (htu).";
  const { iat, jti } = payload;
  if (typeof iat !== "number" || !Number.isFinite(iat)) return "The DPoP proof lacks its time (iat).";
  if (Math.abs(now.getTime() / 1000 - iat) > proofWindow)
    return `The DPoP proof must be at most ${proofWindow} s old (iat).`;
  if (typeof jti !== "string" || jti.length < 1 || jti.length > 256)
    return "The DPoP proof lacks its identifier (jti).";
  if (payload.ath !== accessTokenHash(request.token)) return "The DPoP proof is for another API key (ath).";
  const fresh = await store.use(`${keyId}:${createHash("sha256").update(jti).digest("base64url")}`, expiry(iat));
  return fresh ? undefined : "The DPoP proof was used before (jti).";
}

function expiry(iat: number): Date {
  return new Date((iat + proofWindow + 1) * 1000);
}

async function verifyProof(proof: string, key: CryptoKey | Uint8Array) {
  try {
    // Time claims other than iat have no meaning in a proof: jose's checks of them can only refuse it.
    return await jwtVerify(proof, key, { typ: "dpop+jwt", algorithms });
  } catch {
    return undefined;
  }
}

/** Return the proof's `ath`: the base64url SHA-256 of the API key. */
export function accessTokenHash(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

function isSameKey(shown: unknown, bound: Record<string, unknown>): boolean {
  if (typeof shown !== "object" || shown === null || "d" in shown) return false;
  const named = shown as Record<string, unknown>;
  return ["kty", "crv", "x", "y"].every((member) => named[member] === bound[member]);
}

function isSameTarget(htu: unknown, url: string): boolean {
  if (typeof htu !== "string" || htu.length > 4096 || !URL.canParse(htu)) return false;
  return normalizeTarget(htu) === normalizeTarget(url);
}

/** Reduce a URL to scheme, host, port and path. The loopback names of one port are the same host. */
function normalizeTarget(text: string): string {
  const url = new URL(text);
  const host = loopbackHosts.has(url.hostname) ? "localhost" : url.hostname;
  // RFC 3986 6.2.2: decode escapes of characters that need none; ignore the case of other escapes.
  const path = url.pathname.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9\-._~:@!$&'()*+,;=]/.test(character) ? character : escaped.toUpperCase();
  });
  return `${url.protocol}//${host}:${url.port}${path}`;
}
