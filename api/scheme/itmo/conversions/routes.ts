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
import { CONVERT_SCOPE } from "../access.ts";
import type { ItmoDeps } from "../deps.ts";
import { getConversion, listConversions } from "./conversions.ts";
import { finaliseConversion, revertConversion } from "./decide.ts";
import { listVintages } from "./lots.ts";
import { prepareConversion, requestConversion } from "./request.ts";
import * as schemas from "./schemas.ts";

const tags = ["ITMOs"];
const params = schemas.conversionParams;
const answered = jsonContent(schemas.conversion, "The conversion as it is now");

const request = createRoute({
  method: "post",
  path: "/itmo/conversions",
  callers: onlyFor(["implementer"], CONVERT_SCOPE),
  summary: "Convert CARBON into ITMOs: into escrow until the registry answers",
  description: "Without `signatures`: what the implementer's account has to sign. With them: relayed.",
  tags,
  request: { body: jsonBody(schemas.newConversion) },
  responses: {
    200: jsonContent(schemas.conversionToSign, "What to sign; nothing is done yet"),
    201: jsonContent(schemas.conversion, "The conversion, requested"),
    ...errorResponses(400, 403, 404, 409, 503),
  },
});
const list = createRoute({
  method: "get",
  path: "/itmo/conversions",
  callers: everyKey,
  summary: "List conversions",
  tags,
  request: { query: schemas.conversionQuery },
  responses: { 200: jsonContent(schemas.conversionPage, "In the order of the requests"), ...errorResponses(400) },
});
const vintages = createRoute({
  method: "get",
  path: "/itmo/vintages",
  callers: everyKey,
  summary: "List how much CARBON of which vintage can be converted now",
  tags,
  responses: { 200: jsonContent(schemas.vintageList, "By vintage, the oldest first") },
});
const getOne = createRoute({
  method: "get",
  path: "/itmo/conversions/{conversionId}",
  callers: everyKey,
  summary: "Read a conversion",
  tags,
  request: { params },
  responses: { 200: answered, ...errorResponses(404) },
});
const finalise = createRoute({
  method: "post",
  path: "/itmo/conversions/{conversionId}/finalise",
  callers: onlyFor(["regulator"]),
  summary: "Confirm a conversion with the registry's serials: CARBON is burned, the block minted (regulator)",
  tags,
  request: { params, body: jsonBody(schemas.finalisation) },
  responses: { 200: answered, ...errorResponses(400, 403, 404, 409, 503) },
});
const revert = createRoute({
  method: "post",
  path: "/itmo/conversions/{conversionId}/revert",
  callers: onlyFor(["regulator"]),
  summary: "Give a conversion's CARBON back (regulator)",
  tags,
  request: { params, body: jsonBody(schemas.reversal) },
  responses: { 200: answered, ...errorResponses(400, 403, 404, 409) },
});

/** Conversions of CARBON into ITMOs. */
export function conversionRoutes(deps: ItmoDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(request, async (c) => {
      const { signatures, ...terms } = c.req.valid("json");
      const ctx = requestContext(c);
      return signatures === undefined
        ? c.json(await prepareConversion(deps, ctx, terms), 200)
        : c.json(await requestConversion(deps, ctx, { ...terms, signatures }), 201);
    })
    .openapi(list, async (c) => c.json(await listConversions(deps, c.req.valid("query")), 200))
    .openapi(vintages, async (c) => c.json(await listVintages(deps), 200))
    .openapi(getOne, async (c) => {
      return c.json(await getConversion(deps, c.req.valid("param").conversionId), 200);
    })
    .openapi(finalise, async (c) => {
      const { conversionId } = c.req.valid("param");
      return c.json(await finaliseConversion(deps, requestContext(c), conversionId, c.req.valid("json")), 200);
    })
    .openapi(revert, async (c) => {
      const { conversionId } = c.req.valid("param");
      return c.json(await revertConversion(deps, requestContext(c), conversionId, c.req.valid("json")), 200);
    });
}
