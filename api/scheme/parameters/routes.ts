import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  onlyFor,
  requestContext,
} from "../../platform/http/index.ts";
import { jsonBody, jsonContent } from "../registry/index.ts";
import { newParameter, parameter, parameterPage, parameterParams, parameterQuery } from "./schemas.ts";
import { getParameter, listParameters, type ParameterDeps, setParameter } from "./service.ts";

const tags = ["Emissions"];

const add = createRoute({
  method: "post",
  path: "/parameters",
  callers: onlyFor(["regulator"]),
  summary: "Record a value that reductions are calculated with (regulator)",
  description: "It supersedes the newest one of its kind and key. No entry is ever changed.",
  tags,
  request: { body: jsonBody(newParameter) },
  responses: { 201: jsonContent(parameter, "The parameter"), ...errorResponses(400, 403, 409) },
});

const list = createRoute({
  method: "get",
  path: "/parameters",
  callers: everyKey,
  summary: "List the values that reductions are calculated with",
  tags,
  request: { query: parameterQuery },
  responses: { 200: jsonContent(parameterPage, "In the order of their ids"), ...errorResponses(400) },
});

const getOne = createRoute({
  method: "get",
  path: "/parameters/{parameterId}",
  callers: everyKey,
  summary: "Read a parameter",
  tags,
  request: { params: parameterParams },
  responses: { 200: jsonContent(parameter, "The parameter"), ...errorResponses(400, 404) },
});

/** Parameters that the regulator records on chain. */
export function parameterRoutes(deps: ParameterDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(add, async (c) => c.json(await setParameter(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listParameters(deps, c.req.valid("query")), 200))
    .openapi(getOne, async (c) => c.json(await getParameter(deps, c.req.valid("param").parameterId), 200));
}
