import type { MiddlewareHandler } from "hono";
import { ConnectionLimit } from "./connection-limit.ts";
import type { AppEnv } from "./context.ts";

/**
 * Limit the requests to a route that a key has at the same time; further ones get 429.
 * @param what name of what they send in the plural, for the error message
 */
export function limitTogether(mostTogether: number, what: string): MiddlewareHandler<AppEnv> {
  const sending = new ConnectionLimit(mostTogether, what);
  return async (c, next) => {
    const leave = sending.take(c.get("actor").keyId);
    await next().finally(leave);
  };
}
