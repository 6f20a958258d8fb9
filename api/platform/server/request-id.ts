import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../http/index.ts";

const acceptable = /^[A-Za-z0-9._:-]{1,128}$/;

/** Create middleware that returns a well-formed X-Request-Id, or else generates one. */
export function assignRequestId(): MiddlewareHandler<AppEnv> {
  return async function assignRequestId(c, next) {
    const given = c.req.header("x-request-id");
    const requestId = given !== undefined && acceptable.test(given) ? given : randomUUID();
    c.set("requestId", requestId);
    c.header("X-Request-Id", requestId);
    await next();
  };
}
