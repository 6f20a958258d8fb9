import type { MiddlewareHandler } from "hono";
import type { FilesConfig } from "../../configuration.ts";

export const tusExtensions = ["creation", "creation-with-upload", "creation-defer-length", "termination", "expiration"];

/** Describe the tus server in the response to OPTIONS. Must run before CORS, which answers every OPTIONS request itself. */
export function announceTus({ fileLimitBytes }: Pick<FilesConfig, "fileLimitBytes">): MiddlewareHandler {
  return async function announceTus(c, next) {
    if (c.req.method === "OPTIONS") {
      c.header("Tus-Resumable", "1.0.0");
      c.header("Tus-Version", "1.0.0");
      c.header("Tus-Extension", tusExtensions.join(","));
      c.header("Tus-Max-Size", String(fileLimitBytes));
    }
    await next();
  };
}
