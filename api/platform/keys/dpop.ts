import { createHash } from "node:crypto";
import { jwtVerify } from "jose";
import type { VerifiedKey } from "./verifier.ts";

/** How far a proof's `iat` may lie from now, in seconds. */
const proofWindow = 60;
const algorithms = ["ES256", "EdDSA", "Ed25519"];
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Remembers used proofs. `use` answers false when the id was used before. */
export type ProofStore = {
  use: (id: string, expiresAt: Date) => Promise<boolean>;
};

export type ProofRequest = {
  proof: string | undefined;
  /** The API key as sent. */
  token: string;
  method: string;
  /** The request's URL at each host that is configured; `htu` names one of them. */
  urls: string[];
  now: Date;
};

/** Why a proof is not taken; undefined when it is. RFC 9449 section 4.3. */
export async function checkProof(
  key: NonNullable<VerifiedKey["proofKey"]>,
  keyId: string,
  request: ProofRequest,
  store: ProofStore,
): Promise<string | undefined> {
  const { proof, now } = request;
  if (proof === undefined) return "A DPoP proof is needed beside this key.";
  // Two DPoP headers reach us joined by a comma, which no compact JWT holds.
  if (proof.length > 8192 || proof.includes(",")) return "Exactly one DPoP proof of at most 8 KiB is taken.";
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
    // Time claims beside iat have no meaning in a proof, so jose's own checks of them may only refuse, never accept.
    return await jwtVerify(proof, key, { typ: "dpop+jwt", algorithms });
  } catch {
    return undefined;
  }
}

/** base64url SHA-256 of the API key, the proof's `ath`. */
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

/** Scheme, host, port and path; no query or fragment. The loopback names of one port are the same host. */
function normalizeTarget(text: string): string {
  const url = new URL(text);
  const host = loopback.has(url.hostname) ? "localhost" : url.hostname;
  // RFC 3986 6.2.2: escapes of characters that need none, and the case of the others, make no difference.
  const path = url.pathname.replace(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9\-._~:@!$&'()*+,;=]/.test(character) ? character : escaped.toUpperCase();
  });
  return `${url.protocol}//${host}:${url.port}${path}`;
}
