import type { MiddlewareHandler } from "hono";
import { AppError } from "../../platform/errors.ts";
import { clientAddress } from "../../platform/http/client-address.ts";
import type { AppEnv } from "../../platform/http/context.ts";
import { rateLimitHeaders } from "../../platform/http/rate-limit.ts";
import { authenticate, meetFrom, readArtifacts, readMatrixSession } from "../auth/authenticate.ts";

/** Lets a request pass whose artifacts say who calls; counted against that user's minute unless told otherwise. */
export function requireCaller({ counted = true } = {}): MiddlewareHandler<AppEnv> {
  return async function requireCaller(c, next) {
    const { oracle, rateLimiter, config } = c.get("deps");
    // A conversation is its user's: no cache keeps it, refusals included.
    c.header("Cache-Control", "private, no-store");
    const header = (name: string) => c.req.header(name);
    const meet = () => meetFrom(clientAddress(c), { config, rateLimiter });
    const caller = await authenticate(readArtifacts(header), { ...oracle.auth, meet });
    c.set("caller", { ...caller, matrix: readMatrixSession(header) });
    if (counted) {
      const { requestsPerMinute } = config.oracle;
      const allowance = await rateLimiter.consume(`oracle:${caller.did}`, requestsPerMinute);
      const headers = rateLimitHeaders(allowance);
      if (!allowance.allowed) {
        throw new AppError("RATE_LIMITED", `A user may send ${requestsPerMinute} requests a minute.`, { headers });
      }
      for (const [name, value] of Object.entries(headers)) c.header(name, value);
    }
    await next();
  };
}
