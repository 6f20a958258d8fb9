import type { OpenAPIHono } from "@hono/zod-openapi";
import { proxy } from "hono/proxy";
import { AppError } from "../errors.ts";
import { type AppEnv, clientOf, rateLimitHeaders } from "../http/index.ts";

/** What the indexer serves to everybody, served here too, without a key. */
const paths = ["/graphql", "/sql", "/sql/*", "/reports/*"];

const requestsPerMinute = 300;

/**
 * Hand a regulator's question on to the indexer. Never with the API's own token, which opens more than the public may ask.
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
      // So that the indexer counts each client by itself; the word opens nothing there.
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
