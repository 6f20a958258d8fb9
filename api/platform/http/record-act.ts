import type { MiddlewareHandler } from "hono";
import { subjectOf } from "../audit/index.ts";
import type { AppEnv } from "./context.ts";

/**
 * Create middleware that records in the audit who called a route that changes something, and the result. The response waits for the
 * entry. It runs before the caller's role is checked, so that refused attempts are recorded too.
 */
export function recordAct(route: string, summary: string): MiddlewareHandler<AppEnv> {
  return async function recordAct(c, next) {
    await next();
    const { keyId, role } = c.get("actor");
    await c.get("platform").audit.record({
      keyId,
      role,
      route,
      summary,
      // The fields of a body that broke its schema may hold anything, also a key.
      subject: subjectOf(route, c.req.param(), c.req.valid("json" as never)),
      status: c.res.status,
      requestId: c.get("requestId"),
    });
  };
}
