import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../errors.ts";
import { clientAddress } from "./client-address.ts";
import type { AppEnv } from "./context.ts";
import { rateLimitHeaders } from "./rate-limit.ts";

/** Lets a request without a key or token pass within the rate limit of its address. */
export function limitAddress(): MiddlewareHandler<AppEnv> {
  return async function limitAddress(c, next) {
    await limitRequests(c, `public:${clientAddress(c)}`, "An address");
    await next();
  };
}

/** Count a request of the subject. @throws AppError RATE_LIMITED when it is one too many this minute */
export async function limitRequests(c: Context<AppEnv>, subject: string, who: string): Promise<void> {
  const { rateLimiter, config } = c.get("deps");
  const allowance = await rateLimiter.consume(subject, config.files.requestsPerMinute);
  const headers = rateLimitHeaders(allowance);
  if (!allowance.allowed) {
    throw new AppError("RATE_LIMITED", `${who} may send ${allowance.limit} requests a minute.`, { headers });
  }
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}
