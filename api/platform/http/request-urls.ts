import type { Context } from "hono";
import type { AppEnv } from "./context.ts";

/** Return the request's URL at each configured host. Not at the Host header's, because the client chooses that one. */
export function requestUrls(c: Context<AppEnv>): string[] {
  const { config } = c.get("platform");
  return [config.publicUrl, ...config.publicAliases].map((base) => base + new URL(c.req.url).pathname);
}
