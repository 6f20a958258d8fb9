import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  onlyFor,
  requestContext,
} from "../../../platform/http/index.ts";
import { jsonBody, jsonContent } from "../../registry/index.ts";
import type { ItmoDeps } from "../deps.ts";
import { getBlock, listBlocks } from "./blocks.ts";
import { cancelBlock, transferBlock, useBlock } from "./life.ts";
import * as schemas from "./schemas.ts";

const tags = ["ITMOs"];
const params = schemas.itmoBlockParams;
const done = jsonContent(schemas.itmoActionDone, "What was done, and the blocks as they are now");
const errors = errorResponses(400, 403, 404, 409, 503);

const list = createRoute({
  method: "get",
  path: "/itmo",
  callers: everyKey,
  summary: "List blocks of ITMOs",
  description: "In the order of their conversions and serials. A page may be short and still have a nextCursor.",
  tags,
  request: { query: schemas.itmoBlockQuery },
  responses: { 200: jsonContent(schemas.itmoBlockPage, "Blocks as they are now"), ...errorResponses(400) },
});
const getOne = createRoute({
  method: "get",
  path: "/itmo/{blockId}",
  callers: everyKey,
  summary: "Read a block of ITMOs and all that was done to it",
  tags,
  request: { params },
  responses: { 200: jsonContent(schemas.itmoBlockHistory, "The block as it is now"), ...errorResponses(404) },
});
const transfer = createRoute({
  method: "post",
  path: "/itmo/{blockId}/transfers",
  callers: onlyFor(["regulator"]),
  summary: "Record a transfer to another Party (regulator)",
  tags,
  request: { params, body: jsonBody(schemas.newTransfer) },
  responses: { 201: done, ...errors },
});
const use = createRoute({
  method: "post",
  path: "/itmo/{blockId}/uses",
  callers: onlyFor(["regulator"]),
  summary: "Record a use towards an NDC or for another international mitigation purpose (regulator)",
  tags,
  request: { params, body: jsonBody(schemas.newUse) },
  responses: { 201: done, ...errors },
});
const cancel = createRoute({
  method: "post",
  path: "/itmo/{blockId}/cancellations",
  callers: onlyFor(["regulator"]),
  summary: "Record a cancellation (regulator)",
  tags,
  request: { params, body: jsonBody(schemas.newCancellation) },
  responses: { 201: done, ...errors },
});

/** Blocks of ITMOs and their life. */
export function itmoBlockRoutes(deps: ItmoDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(list, async (c) => c.json(await listBlocks(deps, c.req.valid("query")), 200))
    .openapi(getOne, async (c) => c.json(await getBlock(deps, c.req.valid("param").blockId), 200))
    .openapi(transfer, async (c) => {
      const { blockId } = c.req.valid("param");
      return c.json(await transferBlock(deps, requestContext(c), blockId, c.req.valid("json")), 201);
    })
    .openapi(use, async (c) => {
      const { blockId } = c.req.valid("param");
      return c.json(await useBlock(deps, requestContext(c), blockId, c.req.valid("json")), 201);
    })
    .openapi(cancel, async (c) => {
      const { blockId } = c.req.valid("param");
      return c.json(await cancelBlock(deps, requestContext(c), blockId, c.req.valid("json")), 201);
    });
}
