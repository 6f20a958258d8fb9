import type pg from "pg";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { BoundedCache } from "../bounded-cache.ts";
import { isDatabaseUnavailable, together } from "../db/index.ts";

const minute = 60;

export type Allowance = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };
/** `windowSeconds`: how long a count lasts, by default a minute. */
export type RateLimiter = {
  consume: (subject: string, limit: number, windowSeconds?: number) => Promise<Allowance>;
};

/** Create a limiter that counts requests per subject and window: in this process, or in PostgreSQL for several processes. */
export function createRateLimiter(pool?: pg.Pool): RateLimiter {
  return pool === undefined ? createMemoryLimiter() : createSharedLimiter(pool);
}

function createMemoryLimiter(): RateLimiter {
  // The library's limiters each have a fixed limit and window, but keys have different ones.
  const byLimit = new Map<string, RateLimiterMemory>();
  const limiterFor = (points: number, duration: number) => {
    const keyPrefix = prefixOf(points, duration);
    const known = byLimit.get(keyPrefix);
    if (known !== undefined) return known;
    const limiter = new RateLimiterMemory({ points, duration, keyPrefix });
    byLimit.set(keyPrefix, limiter);
    return limiter;
  };
  return {
    async consume(subject, limit, windowSeconds = minute) {
      try {
        return toAllowance(limit, await limiterFor(limit, windowSeconds).consume(subject));
      } catch (thrown) {
        if (thrown instanceof RateLimiterRes) return toAllowance(limit, thrown);
        throw thrown;
      }
    },
  };
}

const prefixOf = (limit: number, windowSeconds: number): string =>
  windowSeconds === minute ? `rpm${limit}` : `r${limit}in${windowSeconds}`;

/** Keys are sorted, so that two processes that count the same ones do not deadlock. */
const count = `
  insert into rate_limits as kept (key, points, expire)
  select key, points, $now + lasts from unnest($1::text[], $2::int[], $3::bigint[]) as given(key, points, lasts) order by key
  on conflict (key) do update set
    points = case when kept.expire <= $now then excluded.points else kept.points + excluded.points end,
    expire = case when kept.expire <= $now then excluded.expire else kept.expire end
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
  const countOne = together((counts: readonly Count[]) => countEach(pool, counts));
  return {
    async consume(subject, limit, windowSeconds = minute) {
      const key = `${prefixOf(limit, windowSeconds)}:${subject}`;
      const block = blocked.get(key);
      const blockedMs = (block?.until ?? 0) - performance.now();
      if (block !== undefined && blockedMs > 0) {
        return toAllowance(limit, { consumedPoints: block.consumedPoints, msBeforeNext: blockedMs });
      }
      if (performance.now() >= nextRemoval) {
        nextRemoval = performance.now() + removeMs;
        await pool.query(removeOld);
      }
      const { consumedPoints, msBeforeNext } = await countOne({ key, windowSeconds });
      if (consumedPoints > limit) blocked.set(key, { until: performance.now() + msBeforeNext, consumedPoints });
      return toAllowance(limit, { consumedPoints, msBeforeNext });
    },
  };
}

type Count = { key: string; windowSeconds: number };
type Counted = { consumedPoints: number; msBeforeNext: number };

/**
 * Count requests of the same moment in one statement: each would otherwise be a transaction that the disk must confirm. Every request
 * gets its own place in its subject's count. If the statement fails, each is counted alone, so that only a bad key fails.
 */
async function countEach(pool: pg.Pool, counts: readonly Count[]): Promise<(Counted | Error)[]> {
  try {
    return await countTogether(pool, counts);
  } catch (error) {
    if (counts.length === 1 || isDatabaseUnavailable(error)) throw error;
    const alone = counts.map((each) => countTogether(pool, [each]).then(([counted]) => counted as Counted, toError));
    return await Promise.all(alone);
  }
}

async function countTogether(pool: pg.Pool, counts: readonly Count[]): Promise<Counted[]> {
  const asked = new Map<string, number>();
  for (const { key } of counts) asked.set(key, (asked.get(key) ?? 0) + 1);
  const windows = new Map(counts.map(({ key, windowSeconds }) => [key, windowSeconds * 1000]));
  const values = [[...asked.keys()], [...asked.values()], [...windows.values()]];
  const { rows } = await pool.query<{ key: string; points: number; left: string }>({
    name: "count_requests",
    text: count,
    values,
  });
  const next = new Map(
    rows.map(({ key, points, left }) => [key, { points: Number(points) - (asked.get(key) ?? 0), left: Number(left) }]),
  );
  return counts.map(({ key }) => {
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
    "RateLimit-Policy": `"default";q=${limit};w=${minute}`,
    RateLimit: `"default";r=${remaining};t=${resetSeconds}`,
  };
  if (!allowed) headers["Retry-After"] = String(resetSeconds);
  return headers;
}
