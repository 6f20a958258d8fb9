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
import { issuer, issuerPage, issuerParams, issuerQuery, newIssuer } from "./schemas.ts";
import { endIssuer, getIssuer, listIssuers, trustIssuer, WRITE_SCOPE } from "./service.ts";

const trust = createRoute({
  method: "post",
  path: "/issuers",
  callers: onlyFor(["regulator"], WRITE_SCOPE),
  summary: "Trust an issuer for credential types",
  description: "Doing it again replaces the period and adds types.",
  tags,
  request: { body: jsonBody(newIssuer) },
  responses: { 201: jsonContent(issuer, "The issuer"), ...errorResponses(400, 403, 409) },
});

const list = createRoute({
  method: "get",
  path: "/issuers",
  callers: everyKey,
  summary: "List trusted issuers, present and past",
  tags,
  request: { query: issuerQuery },
  responses: { 200: jsonContent(issuerPage, "Issuers in the order of their DIDs"), ...errorResponses(400) },
});

const getOne = createRoute({
  method: "get",
  path: "/issuers/{did}",
  callers: everyKey,
  summary: "Read an issuer",
  tags,
  request: { params: issuerParams },
  responses: { 200: jsonContent(issuer, "The issuer as the chain has it now"), ...errorResponses(404) },
});

const end = createRoute({
  method: "delete",
  path: "/issuers/{did}",
  callers: onlyFor(["regulator"], WRITE_SCOPE),
  summary: "End the trust in an issuer now",
  tags,
  request: { params: issuerParams },
  responses: { 200: jsonContent(issuer, "The issuer, ended"), ...errorResponses(403, 404, 409) },
});

export function issuerRoutes(deps: RegistryDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(trust, async (c) => c.json(await trustIssuer(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listIssuers(deps, c.req.valid("query")), 200))
    .openapi(getOne, async (c) => c.json(await getIssuer(deps, c.req.valid("param").did), 200))
    .openapi(end, async (c) => c.json(await endIssuer(deps, requestContext(c), c.req.valid("param").did), 200));
}
