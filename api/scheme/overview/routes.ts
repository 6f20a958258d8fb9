import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, everyKey, requestContext } from "../../platform/http/index.ts";
import { jsonContent } from "../registry/index.ts";
import type { OverviewDeps } from "./deps.ts";
import { overview, overviewQuery } from "./schemas.ts";
import { readOverview } from "./service.ts";

const read = createRoute({
  method: "get",
  path: "/overview",
  callers: everyKey,
  tags: ["Overview"],
  summary: "Read in figures what concerns the caller",
  description:
    "What waits for a decision; of a supplier, today's redemptions, what is owed and paid; of an implementer, how far its " +
    "campaigns are. The scheme as a whole is at `/reports/summary`.",
  request: { query: overviewQuery },
  responses: { 200: jsonContent(overview, "The figures, by the latest block"), ...errorResponses(400, 503) },
});

/** Figures for the first page of each role. */
export function overviewRoutes(deps: OverviewDeps): OpenAPIHono<AppEnv> {
  return createRouter().openapi(read, async (c) =>
    c.json(await readOverview(deps, requestContext(c), c.req.valid("query")), 200),
  );
}
