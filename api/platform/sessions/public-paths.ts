import type { Context } from "hono";

/** Check for a request of signing in (a nonce, or a new session), which needs no key. */
export function isSignIn(c: Context): boolean {
  return c.req.method === "POST" && /^\/v1\/sessions(\/nonces)?$/.test(c.req.path);
}
