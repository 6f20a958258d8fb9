import type { MiddlewareHandler } from "hono";
import { AppError } from "../errors.ts";
import { type ClientContext, clientOf } from "./client-address.ts";
import type { AppEnv } from "./context.ts";
import { rateLimitHeaders } from "./rate-limit.ts";

/** Failed authentications per address and minute, after which the answer is 429. */
const failuresPerMinute = 600;

/** A request that is counted: any route's context. */
type LimitedContext = ClientContext & { header: (name: string, value: string) => void };

/** Lets a request without a key or token pass within the rate limit of its address. */
export function limitAddress(): MiddlewareHandler<AppEnv> {
  return async function limitAddress(c, next) {
    await limitRequests(c, `public:${clientOf(c)}`, "An address");
    await next();
  };
}

/**
 * Count a change against what the operator lets one address make a minute (FS_WRITES_PER_MINUTE): keys are free, so a limit for
 * each of them stops nobody who makes new ones.
 * @throws AppError RATE_LIMITED
 */
export async function limitWrites(c: LimitedContext): Promise<void> {
  const { rateLimiter, config } = c.get("platform");
  const { writesPerMinute } = config.files;
  if (writesPerMinute === undefined) return;
  const allowance = await rateLimiter.consume(`writes:${clientOf(c)}`, writesPerMinute);
  if (allowance.allowed) return;
  const message = `An address may make ${allowance.limit} changes a minute.`;
  throw new AppError("RATE_LIMITED", message, { headers: rateLimitHeaders(allowance) });
}

/** Count a request of the subject. @throws AppError RATE_LIMITED when it is one too many this minute */
export async function limitRequests(c: LimitedContext, subject: string, who: string): Promise<void> {
  const { rateLimiter, config } = c.get("platform");
  const allowance = await rateLimiter.consume(subject, config.files.requestsPerMinute);
  const headers = rateLimitHeaders(allowance);
  if (!allowance.allowed) {
    throw new AppError("RATE_LIMITED", `${who} may send ${allowance.limit} requests a minute.`, { headers });
  }
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}

/** Count a failed authentication against the client's address. @throws AppError RATE_LIMITED when they are too many */
export async function limitFailures(c: ClientContext): Promise<void> {
  const allowance = await c.get("platform").rateLimiter.consume(`failures:${clientOf(c)}`, failuresPerMinute);
  if (!allowance.allowed) {
    throw new AppError("RATE_LIMITED", "Too many requests from this address failed to authenticate.", {
      headers: rateLimitHeaders(allowance),
    });
  }
}
