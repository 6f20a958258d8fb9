import type { OpenAPIHono } from "@hono/zod-openapi";
import { proxy } from "hono/proxy";
import { AppError } from "../errors.ts";
import { type AppEnv, clientOf, rateLimitHeaders } from "../http/index.ts";

/** The indexer's public paths, which the API serves too, without a key. */
const paths = ["/graphql", "/sql", "/sql/*", "/reports/*"];

const requestsPerMinute = 300;

/**
 * Mount routes that forward public queries to the indexer, without the API's token, which permits more than the public may query.
 * @throws AppError RATE_LIMITED for an address that asks too often; UNAVAILABLE when the indexer does not answer
 */
export function mountIndexerProxy(app: OpenAPIHono<AppEnv>): void {
  app.on(["GET", "POST"], paths, async (c) => {
    const { config, rateLimiter } = c.get("platform");
    const allowance = await rateLimiter.consume(`reports:${clientOf(c)}`, requestsPerMinute);
    const headers = rateLimitHeaders(allowance);
    if (!allowance.allowed) {
      throw new AppError("RATE_LIMITED", `More than ${requestsPerMinute} questions in a minute.`, { headers });
    }
    const asked = new URL(c.req.url);
    asked.searchParams.delete("token");
    const url = `${config.indexer.url}${asked.pathname}${asked.search}`;
    const forwarded = {
      ...c.req.header(),
      authorization: undefined,
      dpop: undefined,
      cookie: undefined,
      host: undefined,
      // The indexer counts requests by this value; it grants no access.
      "x-hearth-client": clientOf(c),
      "x-hearth-word": config.indexer.token,
    };
    try {
      return await proxy(url, { raw: c.req.raw, headers: forwarded });
    } catch (cause) {
      throw new AppError("UNAVAILABLE", "The indexer does not answer.", { cause });
    }
  });
}
