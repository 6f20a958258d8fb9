import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  onlyFor,
  requestContext,
} from "../../../platform/http/index.ts";
import { jsonContent } from "../../registry/index.ts";
import { CONVERT_SCOPE } from "../access.ts";
import { conversion, conversionParams } from "../conversions/schemas.ts";
import type { ItmoDeps } from "../deps.ts";
import { getBufferTerms, listBuffered } from "./buffer.ts";
import * as schemas from "./schemas.ts";
import { cancelBuffered, releaseBuffered } from "./settle.ts";

const tags = ["ITMOs"];
const callers = onlyFor(["implementer", "regulator"], CONVERT_SCOPE);
const answered = jsonContent(conversion, "The conversion as it is now");

const terms = createRoute({
  method: "get",
  path: "/itmo/buffer/terms",
  callers: everyKey,
  summary: "Read the terms of the invalidation buffer for the next conversions",
  tags,
  responses: { 200: jsonContent(schemas.bufferTerms, "The terms that the council set, and their limits") },
});
const list = createRoute({
  method: "get",
  path: "/itmo/buffer",
  callers: everyKey,
  summary: "List what the invalidation buffer held of each conversion",
  tags,
  request: { query: schemas.bufferQuery },
  responses: { 200: jsonContent(schemas.bufferPage, "In the order of the conversions"), ...errorResponses(400) },
});
const release = createRoute({
  method: "post",
  path: "/itmo/conversions/{conversionId}/buffer/release",
  callers,
  summary: "Release what the invalidation buffer holds of a conversion, after the holding time",
  tags,
  request: { params: conversionParams },
  responses: { 200: answered, ...errorResponses(403, 404, 409) },
});
const cancel = createRoute({
  method: "post",
  path: "/itmo/conversions/{conversionId}/buffer/cancellation",
  callers,
  summary: "Cancel what the invalidation buffer holds for certificates that are finally revoked",
  tags,
  request: { params: conversionParams },
  responses: { 200: answered, ...errorResponses(403, 404, 409) },
});

/** What the invalidation buffer holds. */
export function bufferRoutes(deps: ItmoDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(terms, async (c) => c.json(await getBufferTerms(deps), 200))
    .openapi(list, async (c) => c.json(await listBuffered(deps, c.req.valid("query")), 200))
    .openapi(release, async (c) => {
      return c.json(await releaseBuffered(deps, requestContext(c), c.req.valid("param").conversionId), 200);
    })
    .openapi(cancel, async (c) => {
      return c.json(await cancelBuffered(deps, requestContext(c), c.req.valid("param").conversionId), 200);
    });
}
