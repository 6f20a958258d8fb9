import { hash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { type SecretKind, secretText } from "../secret-text.ts";

const idAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
const secretPattern = new RegExp(`^${secretText}$`);

export type NewKey = { id: string; key: string; secretHash: string };

/** Generate a key `hk_<12 of a-z0-9>_<43 of base64url>`. The secret is 32 random bytes and is shown only once. */
export function generateKey(kind: SecretKind = "hk", id = generateId()): NewKey {
  const secret = randomBytes(32).toString("base64url");
  return { id, key: `${kind}_${id}_${secret}`, secretHash: hashSecret(secret) };
}

function generateId(): string {
  return Array.from({ length: 12 }, () => idAlphabet[randomInt(idAlphabet.length)]).join("");
}

/** Parse a key's text into id and secret; undefined when it has another form or is of another kind. */
export function parseKey(text: string, kind: SecretKind = "hk"): { id: string; secret: string } | undefined {
  const match = secretPattern.exec(text);
  return match?.[1] === kind ? { id: match[2] as string, secret: match[3] as string } : undefined;
}

/** Hash a secret with SHA-256, hexadecimal. It needs no salt or stretching, because it is 256 random bits. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** Compare two hexadecimal SHA-256 values in constant time. */
export function sameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, "hex"), Buffer.from(b, "hex"));
}
