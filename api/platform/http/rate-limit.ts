import type pg from "pg";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";

const windowSeconds = 60;

export type Allowance = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };
export type RateLimiter = { consume: (subject: string, limit: number) => Promise<Allowance> };

/** Create a limiter that counts requests per subject and minute: in this process, or in PostgreSQL for several processes. */
export function createRateLimiter(pool?: pg.Pool): RateLimiter {
  // The library's limiters each have a fixed limit, but keys have different limits.
  const byLimit = new Map<number, RateLimiterMemory | RateLimiterPostgres>();
  const limiterFor = (limit: number) => {
    let limiter = byLimit.get(limit);
    if (limiter === undefined) {
      limiter = createLimiter(limit, pool);
      byLimit.set(limit, limiter);
    }
    return limiter;
  };
  return {
    async consume(subject, limit) {
      try {
        return toAllowance(true, limit, await limiterFor(limit).consume(subject));
      } catch (thrown) {
        if (thrown instanceof RateLimiterRes) return toAllowance(false, limit, thrown);
        throw thrown;
      }
    },
  };
}

function createLimiter(points: number, pool: pg.Pool | undefined): RateLimiterMemory | RateLimiterPostgres {
  const keyPrefix = `rpm${points}`;
  if (pool === undefined) return new RateLimiterMemory({ points, duration: windowSeconds, keyPrefix });
  return new RateLimiterPostgres({
    storeClient: pool,
    storeType: "pool",
    tableName: "rate_limits",
    tableCreated: true,
    points,
    duration: windowSeconds,
    keyPrefix,
    // After the limit is reached, the rest of the minute needs no query.
    inMemoryBlockOnConsumed: points + 1,
    clearExpiredByTimeout: true,
  });
}

function toAllowance(allowed: boolean, limit: number, res: RateLimiterRes): Allowance {
  return {
    allowed,
    limit,
    remaining: res.remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(res.msBeforeNext / 1000)),
  };
}

/** Build the headers of draft-ietf-httpapi-ratelimit-headers, and Retry-After when the request is over the limit. */
export function rateLimitHeaders({ allowed, limit, remaining, resetSeconds }: Allowance): Record<string, string> {
  const headers: Record<string, string> = {
    "RateLimit-Policy": `"default";q=${limit};w=${windowSeconds}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
  };
  if (!allowed) headers["Retry-After"] = String(resetSeconds);
  return headers;
}
