import { generateKey } from "../keys/index.ts";

const pattern = /^hs_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;

/** Make a session's token, `hs_` and then as an API key. */
export function generateToken(): { id: string; token: string; secretHash: string } {
  const { id, key, secretHash } = generateKey();
  return { id, token: key.replace(/^hk_/, "hs_"), secretHash };
}

/** Whether a bearer's text is meant as a session's token. */
export function isSessionToken(text: string): boolean {
  return text.startsWith("hs_");
}

/** Id and secret of a token, or undefined when it has another form. */
export function parseToken(text: string): { id: string; secret: string } | undefined {
  const match = pattern.exec(text);
  return match === null ? undefined : { id: match[1] as string, secret: match[2] as string };
}
