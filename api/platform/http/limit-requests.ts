import type { MiddlewareHandler } from "hono";
import { AppError } from "../errors.ts";
import { type ClientContext, clientOf } from "./client-address.ts";
import type { AppEnv } from "./context.ts";
import { rateLimitHeaders } from "./rate-limit.ts";

/** Limit of failed authentications a minute for one address; further ones get 429. */
const failuresPerMinute = 600;
/** Limit of nonces, sign-ins and accepted invitations a minute for one address, since they need no key. */
const signInsPerMinute = 60;

/** The part of a route's context that is needed to count a request. */
type LimitedContext = ClientContext & { header: (name: string, value: string) => void };

/** Create middleware that limits requests without a key or token by their address. */
export function limitAddress(): MiddlewareHandler<AppEnv> {
  return async function limitAddress(c, next) {
    await limitRequests(c, `public:${clientOf(c)}`, "An address");
    await next();
  };
}

/** Create middleware that limits sign-ins and uses of invitations by address. A refused one also counts as a failed authentication. */
export function limitSignIns(): MiddlewareHandler<AppEnv> {
  return async function limitSignIns(c, next) {
    const allowance = await c.get("platform").rateLimiter.consume(`sign-in:${clientOf(c)}`, signInsPerMinute);
    if (!allowance.allowed) {
      throw new AppError(
        "RATE_LIMITED",
        `An address may sign in or open an invitation ${allowance.limit} times a minute.`,
        {
          headers: rateLimitHeaders(allowance),
        },
      );
    }
    await next();
    if (c.error instanceof AppError && c.error.code === "UNAUTHENTICATED") await limitFailures(c);
  };
}

/**
 * Count a write against the limit of its address (FS_WRITES_PER_MINUTE). Anyone can create more keys, so a limit for each key would
 * not be enough.
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

/** Count a request of the subject. @throws AppError RATE_LIMITED when it is over the limit of this minute */
export async function limitRequests(c: LimitedContext, subject: string, who: string): Promise<void> {
  const { rateLimiter, config } = c.get("platform");
  const allowance = await rateLimiter.consume(subject, config.files.requestsPerMinute);
  const headers = rateLimitHeaders(allowance);
  if (!allowance.allowed) {
    throw new AppError("RATE_LIMITED", `${who} may send ${allowance.limit} requests a minute.`, { headers });
  }
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}

/** Count a failed authentication of the client's address. @throws AppError RATE_LIMITED when it is over the limit */
export async function limitFailures(c: ClientContext): Promise<void> {
  const allowance = await c.get("platform").rateLimiter.consume(`failures:${clientOf(c)}`, failuresPerMinute);
  if (!allowance.allowed) {
    throw new AppError("RATE_LIMITED", "Too many requests from this address failed to authenticate.", {
      headers: rateLimitHeaders(allowance),
    });
  }
}
