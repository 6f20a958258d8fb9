import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyRole,
  jsonContent,
  listQuery,
  onlyFor,
  requestContext,
} from "../../platform/http/index.ts";
import { readScope, voucherReaders } from "./access.ts";
import { readActorFigures } from "./actors/read-actor-figures.ts";
import type { VoucherDeps } from "./deps.ts";
import { readHistory } from "./history.ts";
import { listRedemptions, listVouchers } from "./lists.ts";
import * as schemas from "./schemas.ts";

const vouchers = createRoute({
  method: "get",
  path: "/vouchers",
  callers: onlyFor(["implementer", "evaluator", "regulator"], readScope),
  tags: ["Vouchers"],
  summary: "List vouchers",
  request: { query: schemas.voucherListQuery },
  responses: {
    200: { description: "A page of vouchers", content: jsonContent(schemas.voucherPage) },
    ...errorResponses(400, 403, 503),
  },
});

const actorFigures = createRoute({
  method: "get",
  path: "/redemption-actors",
  callers: onlyFor(["evaluator", "regulator"]),
  tags: ["Redemptions"],
  summary: "Count redemptions by who acted for the household, and how it agreed",
  description:
    "Redemptions that were made through the API since this is stored, also those that were given back later.",
  responses: {
    200: { description: "By channel and consent", content: jsonContent(schemas.actorFigures) },
    ...errorResponses(403),
  },
});

const redemptions = createRoute({
  method: "get",
  path: "/redemptions",
  callers: everyRole(readScope),
  tags: ["Redemptions"],
  summary: "List redemptions",
  request: { query: schemas.redemptionListQuery },
  responses: {
    200: { description: "A page of redemptions", content: jsonContent(schemas.redemptionPage) },
    ...errorResponses(400, 403, 404, 503),
  },
});

const history = createRoute({
  method: "get",
  path: "/vouchers/{voucherId}/history",
  callers: voucherReaders,
  tags: ["Vouchers"],
  summary: "List everything that happened to a voucher",
  request: { params: schemas.voucherParams, query: listQuery },
  responses: {
    200: { description: "A page of events", content: jsonContent(schemas.historyPage) },
    ...errorResponses(400, 403, 404, 503),
  },
});

/** Routes of lists and history, which read the chain's index. */
export function voucherListRoutes(deps: VoucherDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(vouchers, async (c) => c.json(await listVouchers(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(redemptions, async (c) =>
      c.json(await listRedemptions(deps, requestContext(c), c.req.valid("query")), 200),
    )
    .openapi(actorFigures, async (c) => c.json(await readActorFigures(deps, requestContext(c)), 200))
    .openapi(history, async (c) => {
      const { voucherId } = c.req.valid("param");
      return c.json(await readHistory(deps, requestContext(c), voucherId, c.req.valid("query")), 200);
    });
}
