import type { OpenAPIHono } from "@hono/zod-openapi";
import { proxy } from "hono/proxy";
import { AppError } from "../errors.ts";
import { type AppEnv, clientOf, rateLimitHeaders, readBody } from "../http/index.ts";

/** The indexer's public paths, which the API serves too, without a key. */
const paths = ["/graphql", "/sql", "/sql/*", "/reports/*"];

const requestsPerMinute = 300;

/**
 * Headers of a request that the indexer needs. No credential is among them, and none that concerns only the client's connection,
 * such as Expect or Upgrade.
 */
const forwardedHeaders = ["accept", "content-type", "if-none-match", "origin", "x-request-id"];

/** Largest body, in bytes: more than the indexer takes, so that it explains its own limits. */
const bodyLimit = 64 * 1024;

/**
 * Mount routes that forward public queries to the indexer, without the API's token, which permits more than the public may query.
 * @throws AppError RATE_LIMITED for an address that asks too often; TOO_LARGE; UNAVAILABLE when the indexer does not answer
 */
export function mountIndexerProxy(app: OpenAPIHono<AppEnv>): void {
  app.on(["GET", "POST"], paths, async (c) => {
    const { config, rateLimiter } = c.get("platform");
    const allowance = await rateLimiter.consume(`reports:${clientOf(c)}`, requestsPerMinute);
    const headers = rateLimitHeaders(allowance);
    if (!allowance.allowed) {
      throw new AppError("RATE_LIMITED", `More than ${requestsPerMinute} questions in a minute.`, { headers });
    }
    const body = c.req.method === "POST" ? await readBody(c, bodyLimit) : undefined;
    const asked = new URL(c.req.url);
    asked.searchParams.delete("token");
    const url = `${config.indexer.url}${asked.pathname}${asked.search}`;
    const given = forwardedHeaders.flatMap((name) => {
      const value = c.req.header(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const forwarded = {
      ...Object.fromEntries(given),
      // The indexer counts requests by this value; it grants no access.
      "x-hearth-client": clientOf(c),
      "x-hearth-word": config.indexer.token,
    };
    try {
      const { method, raw } = c.req;
      // Once `c` has a response, Hono adds its headers to the indexer's response.
      void c.res;
      return await proxy(url, { method, headers: forwarded, signal: raw.signal, ...(body && { body }) });
    } catch (cause) {
      throw new AppError("UNAVAILABLE", "The indexer does not answer.", { cause });
    }
  });
}
