import type { MiddlewareHandler } from "hono";
import { AppError } from "../../platform/errors.ts";
import { clientAddress, type RateLimiter, rateLimitHeaders } from "../../platform/http/index.ts";
import {
  type AuthenticateOptions,
  authenticate,
  limitNewUsers,
  readArtifacts,
  readMatrixSession,
} from "../auth/authenticate.ts";
import type { OracleEnv } from "./env.ts";

export type CallerDeps = {
  auth: Pick<AuthenticateOptions, "tokens" | "loaded">;
  rateLimiter: RateLimiter;
  limits: { requestsPerMinute: number; newUsersPerMinute: number };
};

/** Authenticate the caller. Counts the request against the user's limit per minute unless `counted` is false. */
export function requireCaller(deps: CallerDeps, { counted = true } = {}): MiddlewareHandler<OracleEnv> {
  return async function requireCaller(c, next) {
    const { auth, rateLimiter, limits } = deps;
    // A conversation is private: no cache stores it, error responses included.
    c.header("Cache-Control", "private, no-store");
    const header = (name: string) => c.req.header(name);
    const onNewUser = () => limitNewUsers(clientAddress(c), { rateLimiter, limits });
    const artifacts = readArtifacts(header);
    const caller = await authenticate(artifacts, { ...auth, onNewUser });
    c.set("artifacts", artifacts);
    c.set("caller", { ...caller, matrix: readMatrixSession(header) });
    if (counted) {
      const { requestsPerMinute } = limits;
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
