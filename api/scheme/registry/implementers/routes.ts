import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  onlyFor,
  requestContext,
} from "../../../platform/http/index.ts";
import type { RegistryDeps } from "../deps.ts";
import { jsonBody, jsonContent, tags } from "../routing.ts";
import {
  implementer,
  implementerChange,
  implementerPage,
  implementerParams,
  implementerQuery,
  newImplementer,
} from "./schemas.ts";
import { changeImplementer, getImplementer, listImplementers, registerImplementer, WRITE_SCOPE } from "./service.ts";

const register = createRoute({
  method: "post",
  path: "/implementers",
  callers: onlyFor(["regulator"], WRITE_SCOPE),
  summary: "Register an implementer",
  tags,
  request: { body: jsonBody(newImplementer) },
  responses: { 201: jsonContent(implementer, "The implementer"), ...errorResponses(400, 403, 409) },
});

const list = createRoute({
  method: "get",
  path: "/implementers",
  callers: everyKey,
  summary: "List implementers",
  tags,
  request: { query: implementerQuery },
  responses: {
    200: jsonContent(implementerPage, "Implementers in the order of their registration"),
    ...errorResponses(400),
  },
});

const getOne = createRoute({
  method: "get",
  path: "/implementers/{did}",
  callers: everyKey,
  summary: "Read an implementer",
  tags,
  request: { params: implementerParams },
  responses: { 200: jsonContent(implementer, "The implementer"), ...errorResponses(404) },
});

const change = createRoute({
  method: "patch",
  path: "/implementers/{did}",
  callers: onlyFor(["regulator"], WRITE_SCOPE),
  summary: "Suspend an implementer, or authorise it again",
  description: "A suspended implementer's account can do nothing: it neither buys, converts, cancels nor reissues.",
  tags,
  request: { params: implementerParams, body: jsonBody(implementerChange) },
  responses: {
    200: jsonContent(implementer, "The implementer after the change"),
    ...errorResponses(400, 403, 404, 409),
  },
});

export function implementerRoutes(deps: RegistryDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(change, async (c) =>
      c.json(await changeImplementer(deps, requestContext(c), c.req.valid("param").did, c.req.valid("json")), 200),
    )
    .openapi(register, async (c) =>
      c.json(await registerImplementer(deps, requestContext(c), c.req.valid("json")), 201),
    )
    .openapi(list, async (c) => c.json(await listImplementers(deps, c.req.valid("query")), 200))
    .openapi(getOne, async (c) => c.json(await getImplementer(deps, c.req.valid("param").did), 200));
}
