import type { Context } from "hono";

/** GET /v1/campaigns/:id/draw needs no key: anyone may check a draw. Drawing itself, a POST to the same path, does. */
export function isPublicDraw(c: Context): boolean {
  return c.req.method === "GET" && /^\/v1\/campaigns\/[^/]+\/draw$/.test(c.req.path);
}
