import { hash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";

const idAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
const keyPattern = /^hk_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;

export type NewKey = { id: string; key: string; secretHash: string };

/** Generate an API key `hk_<12 of a-z0-9>_<43 of base64url>`. The secret is 32 random bytes and is shown only once. */
export function generateKey(): NewKey {
  const id = Array.from({ length: 12 }, () => idAlphabet[randomInt(idAlphabet.length)]).join("");
  const secret = randomBytes(32).toString("base64url");
  return { id, key: `hk_${id}_${secret}`, secretHash: hashSecret(secret) };
}

/** Parse a key's text into id and secret; undefined when it has another form. */
export function parseKey(text: string): { id: string; secret: string } | undefined {
  const match = keyPattern.exec(text);
  return match === null ? undefined : { id: match[1] as string, secret: match[2] as string };
}

/** Hash a secret with SHA-256, hexadecimal. It needs no salt or stretching, because it is 256 random bits. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** Compare two hexadecimal SHA-256 values in constant time. */
export function sameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, "hex"), Buffer.from(b, "hex"));
}
