import { generateKey, parseKey } from "../keys/index.ts";

/** Generate a session token: `hs_`, then as in an API key. */
export function generateToken(): { id: string; token: string; secretHash: string } {
  const { id, key, secretHash } = generateKey("hs");
  return { id, token: key, secretHash };
}

/** Check whether a bearer token begins like a session token. */
export function isSessionToken(text: string): boolean {
  return text.startsWith("hs_");
}

/** Parse a token into id and secret; undefined when it has another form. */
export function parseToken(text: string): { id: string; secret: string } | undefined {
  return parseKey(text, "hs");
}
