import type pg from "pg";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { BoundedCache } from "../bounded-cache.ts";
import { isDatabaseUnavailable, together } from "../db/index.ts";

const windowSeconds = 60;

export type Allowance = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };
export type RateLimiter = { consume: (subject: string, limit: number) => Promise<Allowance> };

/** Create a limiter that counts requests per subject and minute: in this process, or in PostgreSQL for several processes. */
export function createRateLimiter(pool?: pg.Pool): RateLimiter {
  return pool === undefined ? createMemoryLimiter() : createSharedLimiter(pool);
}

function createMemoryLimiter(): RateLimiter {
  // The library's limiters each have a fixed limit, but keys have different limits.
  const byLimit = new Map<number, RateLimiterMemory>();
  const limiterFor = (limit: number) => {
    const known = byLimit.get(limit);
    if (known !== undefined) return known;
    const limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds, keyPrefix: `rpm${limit}` });
    byLimit.set(limit, limiter);
    return limiter;
  };
  return {
    async consume(subject, limit) {
      try {
        return toAllowance(limit, await limiterFor(limit).consume(subject));
      } catch (thrown) {
        if (thrown instanceof RateLimiterRes) return toAllowance(limit, thrown);
        throw thrown;
      }
    },
  };
}

/** Keys are sorted, so that two processes that count the same ones do not deadlock. */
const count = `
  insert into rate_limits as kept (key, points, expire)
  select key, points, $now + $3 from unnest($1::text[], $2::int[]) as given(key, points) order by key
  on conflict (key) do update set
    points = case when kept.expire <= $now then excluded.points else kept.points + excluded.points end,
    expire = case when kept.expire <= $now then $now + $3 else kept.expire end
  returning key, points, expire - $now as left`.replaceAll(
  "$now",
  "(extract(epoch from clock_timestamp()) * 1000)::bigint",
);
const removeOld = "delete from rate_limits where expire < (extract(epoch from clock_timestamp()) * 1000)::bigint";
/** How often old counts are removed, in milliseconds. */
const removeMs = 300_000;

/**
 * Count in PostgreSQL, by its clock. The library's limiter compares the clocks of the processes: one that is an hour ahead would
 * let a minute last an hour for all others.
 */
function createSharedLimiter(pool: pg.Pool): RateLimiter {
  /** Ends of the minutes of subjects over their limit, by `performance.now()`: the rest of a minute needs no query. */
  const blocked = new BoundedCache<string, { until: number; consumedPoints: number }>(10_000);
  let nextRemoval = performance.now() + removeMs;
  const countOne = together((keys: readonly string[]) => countEach(pool, keys));
  return {
    async consume(subject, limit) {
      const key = `rpm${limit}:${subject}`;
      const block = blocked.get(key);
      const blockedMs = (block?.until ?? 0) - performance.now();
      if (block !== undefined && blockedMs > 0) {
        return toAllowance(limit, { consumedPoints: block.consumedPoints, msBeforeNext: blockedMs });
      }
      if (performance.now() >= nextRemoval) {
        nextRemoval = performance.now() + removeMs;
        await pool.query(removeOld);
      }
      const { consumedPoints, msBeforeNext } = await countOne(key);
      if (consumedPoints > limit) blocked.set(key, { until: performance.now() + msBeforeNext, consumedPoints });
      return toAllowance(limit, { consumedPoints, msBeforeNext });
    },
  };
}

type Counted = { consumedPoints: number; msBeforeNext: number };

/**
 * Count requests of the same moment in one statement: each would otherwise be a transaction that the disk must confirm. Every request
 * gets its own place in its subject's count. If the statement fails, each is counted alone, so that only a bad key fails.
 */
async function countEach(pool: pg.Pool, keys: readonly string[]): Promise<(Counted | Error)[]> {
  try {
    return await countTogether(pool, keys);
  } catch (error) {
    if (keys.length === 1 || isDatabaseUnavailable(error)) throw error;
    const alone = keys.map((key) => countTogether(pool, [key]).then(([counted]) => counted as Counted, toError));
    return await Promise.all(alone);
  }
}

async function countTogether(pool: pg.Pool, keys: readonly string[]): Promise<Counted[]> {
  const asked = new Map<string, number>();
  for (const key of keys) asked.set(key, (asked.get(key) ?? 0) + 1);
  const values = [[...asked.keys()], [...asked.values()], windowSeconds * 1000];
  const { rows } = await pool.query<{ key: string; points: number; left: string }>({
    name: "count_requests",
    text: count,
    values,
  });
  const next = new Map(
    rows.map(({ key, points, left }) => [key, { points: Number(points) - (asked.get(key) ?? 0), left: Number(left) }]),
  );
  return keys.map((key) => {
    const place = next.get(key);
    if (place === undefined) throw new Error("A request was not counted.");
    place.points += 1;
    return { consumedPoints: place.points, msBeforeNext: place.left };
  });
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("A request was not counted.", { cause: thrown });
}

function toAllowance(limit: number, res: { consumedPoints: number; msBeforeNext: number }): Allowance {
  return {
    allowed: res.consumedPoints <= limit,
    limit,
    remaining: Math.max(0, limit - res.consumedPoints),
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
