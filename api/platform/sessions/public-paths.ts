import type { Context } from "hono";

/** Who signs in has no key yet: asking for a nonce and beginning a session need none. */
export function isSignIn(c: Context): boolean {
  return c.req.method === "POST" && /^\/v1\/sessions(\/nonces)?$/.test(c.req.path);
}
