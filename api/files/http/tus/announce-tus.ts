import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../../../platform/http/context.ts";

export const tusExtensions = ["creation", "creation-with-upload", "creation-defer-length", "termination", "expiration"];

/** Tell what the server can before CORS answers an OPTIONS request. */
export function discloseUploads(): MiddlewareHandler<AppEnv> {
  return async function discloseUploads(c, next) {
    if (c.req.method === "OPTIONS") {
      c.header("Tus-Resumable", "1.0.0");
      c.header("Tus-Version", "1.0.0");
      c.header("Tus-Extension", tusExtensions.join(","));
      c.header("Tus-Max-Size", String(c.get("deps").config.files.fileLimitBytes));
    }
    await next();
  };
}
