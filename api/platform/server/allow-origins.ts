import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { AppEnv } from "../http/index.ts";

/**
 * Allow pages of every origin to call the API. Hono's middleware only answers the browser's question before a request (OPTIONS):
 * on other requests it would create a response before the handler does. Hono would then merge the two, and each body would be
 * sent as a stream, which costs more than the rest of a small request.
 */
export function allowOrigins(): MiddlewareHandler<AppEnv> {
  const answerOptions = cors({ origin: "*", exposeHeaders, allowHeaders, maxAge: 86_400 });
  const exposed = exposeHeaders.join(",");
  return async function allowOrigins(c, next) {
    if (c.req.method === "OPTIONS") return await answerOptions(c, next);
    c.header("Access-Control-Allow-Origin", "*");
    c.header("Access-Control-Expose-Headers", exposed);
    await next();
  };
}

const allowHeaders = [
  "Authorization",
  "Content-Type",
  "DPoP",
  "Idempotency-Key",
  "Last-Event-ID",
  "X-Request-Id",
  "If-Match",
  "If-None-Match",
  "If-Range",
  "Range",
  "X-Auth-Type",
  "Mcp-Session-Id",
  "Mcp-Protocol-Version",
  "Tus-Resumable",
  "Upload-Defer-Length",
  "Upload-Length",
  "Upload-Metadata",
  "Upload-Offset",
  "X-Did",
  "X-Matrix-Access-Token",
  "X-Matrix-Homeserver",
  "X-OpenRosa-Version",
  "X-Timezone",
  "X-Ucan-Delegation",
];
const exposeHeaders = [
  "X-Request-Id",
  "X-Run-Id",
  "X-Message-Id",
  "PAYMENT-REQUIRED",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "Idempotency-Replayed",
  "Accept-Ranges",
  "Content-Disposition",
  "Content-Length",
  "Content-Range",
  "ETag",
  "Mcp-Session-Id",
  "Tus-Extension",
  "Tus-Max-Size",
  "Tus-Resumable",
  "Tus-Version",
  "Upload-Expires",
  "Upload-Length",
  "Upload-Metadata",
  "Upload-Offset",
  "X-Vfs-Cid",
  "X-Vfs-Content-Hash",
  "X-Vfs-File-Id",
  "X-Vfs-Version",
];
