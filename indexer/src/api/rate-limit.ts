import { timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { refuse } from "./errors.ts";

export type NodeEnv = { Bindings: { incoming?: { complete: boolean; socket: { remoteAddress?: string } } } };

/** The caller's address. */
export type AddressOf = (c: Context<NodeEnv>) => string;

function isToken(given: string | undefined, token: string | undefined): boolean {
  if (given === undefined || token === undefined) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Limit the requests per minute of each address. `trusts` returns whether a request has the token of the indexer's own
 * API (`?token=`), which is neither limited nor gated.
 */
export function createRateLimit(perMinute: number, token: string | undefined) {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  const trusts = (given: string | undefined) => isToken(given, token);
  // The API forwards anonymous requests with their addresses; from any other caller the header is ignored.
  const addressOf: AddressOf = (c) => {
    const named = trusts(c.req.header("x-hearth-word")) ? c.req.header("x-hearth-client") : undefined;
    return named ?? c.env?.incoming?.socket.remoteAddress ?? "unknown";
  };
  const middleware = createMiddleware<NodeEnv>(async (c, next) => {
    if (trusts(c.req.query("token"))) return next();
    const policy = { "RateLimit-Policy": `"default";q=${perMinute};w=60` };
    const seconds = (state: RateLimiterRes) => Math.ceil(state.msBeforeNext / 1_000);
    let state: RateLimiterRes;
    try {
      state = await limiter.consume(addressOf(c));
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected;
      const headers = {
        ...policy,
        RateLimit: `"default";r=0;t=${seconds(rejected)}`,
        "Retry-After": `${seconds(rejected)}`,
      };
      return refuse(c, "RATE_LIMITED", `More than ${perMinute} requests in a minute.`, { headers });
    }
    await next();
    c.header("RateLimit-Policy", policy["RateLimit-Policy"]);
    c.header("RateLimit", `"default";r=${state.remainingPoints};t=${seconds(state)}`);
  });
  return { middleware, trusts, addressOf };
}
