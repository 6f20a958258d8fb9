import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  jsonContent,
  onlyFor,
  requestContext,
} from "../http/index.ts";
import type { KeyDeps } from "./deps.ts";
import { apiKey, apiKeyPage, apiKeyParams, apiKeyQuery, createdApiKey, keyHolder, newApiKey } from "./schemas.ts";
import { createApiKey, listApiKeys, readApiKey, readOwnKey, revokeApiKey } from "./service.ts";

const tags = ["Keys"];

const create = createRoute({
  method: "post",
  path: "/keys",
  callers: onlyFor([]),
  secrets: ["key"],
  tags,
  summary: "Make an API key",
  request: { body: { required: true, content: jsonContent(newApiKey) } },
  responses: {
    201: { description: "The key, shown only once", content: jsonContent(createdApiKey) },
    ...errorResponses(400, 403, 404, 409),
  },
});

const list = createRoute({
  method: "get",
  path: "/keys",
  callers: onlyFor([]),
  tags,
  summary: "List API keys",
  request: { query: apiKeyQuery },
  responses: {
    200: { description: "One page, oldest first", content: jsonContent(apiKeyPage) },
    ...errorResponses(400, 403),
  },
});

const readSelf = createRoute({
  method: "get",
  path: "/keys/self",
  callers: everyKey,
  tags,
  summary: "Read whose key makes the request",
  responses: { 200: { description: "The key's holder", content: jsonContent(keyHolder) }, ...errorResponses() },
});

const read = createRoute({
  method: "get",
  path: "/keys/{id}",
  callers: onlyFor([]),
  tags,
  summary: "Read an API key's record",
  request: { params: apiKeyParams },
  responses: { 200: { description: "The record", content: jsonContent(apiKey) }, ...errorResponses(403, 404) },
});

const revoke = createRoute({
  method: "delete",
  path: "/keys/{id}",
  callers: onlyFor([]),
  tags,
  summary: "Revoke an API key",
  request: { params: apiKeyParams },
  responses: {
    200: { description: "The revoked key's record", content: jsonContent(apiKey) },
    ...errorResponses(403, 404),
  },
});

/** Create the routes of API keys: create, list, read, revoke. */
export function keyRoutes(deps: KeyDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(create, async (c) => c.json(await createApiKey(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listApiKeys(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(readSelf, async (c) => c.json(readOwnKey(requestContext(c)), 200))
    .openapi(read, async (c) => c.json(await readApiKey(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(revoke, async (c) => c.json(await revokeApiKey(deps, requestContext(c), c.req.valid("param").id), 200));
}
