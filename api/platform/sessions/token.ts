import { generateKey } from "../keys/index.ts";

const pattern = /^hs_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;

/** Generate a session token: `hs_`, then as in an API key. */
export function generateToken(): { id: string; token: string; secretHash: string } {
  const { id, key, secretHash } = generateKey();
  return { id, token: key.replace(/^hk_/, "hs_"), secretHash };
}

/** Check whether a bearer token begins like a session token. */
export function isSessionToken(text: string): boolean {
  return text.startsWith("hs_");
}

/** Parse a token into id and secret; undefined when it has another form. */
export function parseToken(text: string): { id: string; secret: string } | undefined {
  const match = pattern.exec(text);
  return match === null ? undefined : { id: match[1] as string, secret: match[2] as string };
}
