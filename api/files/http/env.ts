import type { Context } from "hono";
import type { AppEnv } from "../../platform/http/context.ts";
import type { FileContext } from "../deps.ts";

/** What a route hands to a service of the file store. */
export function fileContext(c: Context<AppEnv>): FileContext {
  return {
    deps: c.get("deps"),
    access: c.get("access"),
    requestId: c.get("requestId"),
    signal: c.req.raw.signal,
  };
}
