import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, onlyFor, requestContext } from "../../../platform/http/index.ts";
import { jsonBody, jsonContent } from "../../registry/index.ts";
import { SETTLE_SCOPE } from "../access.ts";
import type { ItmoDeps } from "../deps.ts";
import * as schemas from "./schemas.ts";
import { listSettlements, recordSettlement, settlementsOf } from "./settlements.ts";

const tags = ["ITMOs"];
const params = schemas.settlementsOfParams;
const pageResponse = jsonContent(schemas.settlementPage, "In the order they were recorded, with totals by currency");

const list = createRoute({
  method: "get",
  path: "/itmo/settlements",
  callers: onlyFor(["implementer", "supplier", "regulator"], SETTLE_SCOPE),
  summary: "List settlements and reconcile them",
  tags,
  request: { query: schemas.settlementQuery },
  responses: { 200: pageResponse, ...errorResponses(400, 403) },
});
const listOf = createRoute({
  method: "get",
  path: "/itmo/{id}/settlements",
  callers: onlyFor(["implementer", "supplier", "regulator"], SETTLE_SCOPE),
  summary: "List the settlements of a conversion, a block or a claim",
  tags,
  request: { params, query: schemas.settlementsOfQuery },
  responses: { 200: pageResponse, ...errorResponses(400, 403, 404) },
});
const record = createRoute({
  method: "post",
  path: "/itmo/{id}/settlements",
  callers: onlyFor(["implementer", "supplier", "regulator"], SETTLE_SCOPE),
  summary: "Record a payment made outside of the chain",
  description: "The same type and reference again: the same record answers 201 once more, another one 409.",
  tags,
  request: { params, body: jsonBody(schemas.newSettlement) },
  responses: { 201: jsonContent(schemas.settlement, "The settlement"), ...errorResponses(400, 403, 404, 409) },
});

/** Payments around ITMOs, and a supplier's exchange of what a claim paid. */
export function settlementRoutes(deps: ItmoDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(list, async (c) => c.json(await listSettlements(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(listOf, async (c) => {
      return c.json(await settlementsOf(deps, requestContext(c), c.req.valid("param").id, c.req.valid("query")), 200);
    })
    .openapi(record, async (c) => {
      return c.json(await recordSettlement(deps, requestContext(c), c.req.valid("param").id, c.req.valid("json")), 201);
    });
}
