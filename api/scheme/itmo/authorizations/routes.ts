import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  listQuery,
  onlyFor,
  requestContext,
} from "../../../platform/http/index.ts";
import { jsonBody, jsonContent } from "../../registry/index.ts";
import type { ItmoDeps } from "../deps.ts";
import { getApproach, listApproaches, registerApproach } from "./approaches.ts";
import {
  changeAuthorizedQuantity,
  getAuthorization,
  listAuthorizations,
  registerAuthorization,
} from "./authorizations.ts";
import { reduceAuthorization, revokeAuthorization } from "./reductions.ts";
import * as schemas from "./schemas.ts";

const tags = ["Article 6"];

const addApproach = createRoute({
  method: "post",
  path: "/itmo/cooperative-approaches",
  callers: onlyFor(["regulator"]),
  summary: "Register a cooperative approach (regulator)",
  tags,
  request: { body: jsonBody(schemas.newApproach) },
  responses: { 201: jsonContent(schemas.approach, "The cooperative approach"), ...errorResponses(400, 403, 409) },
});
const approaches = createRoute({
  method: "get",
  path: "/itmo/cooperative-approaches",
  callers: everyKey,
  summary: "List cooperative approaches",
  tags,
  request: { query: listQuery },
  responses: { 200: jsonContent(schemas.approachPage, "In the order of registration"), ...errorResponses(400) },
});
const oneApproach = createRoute({
  method: "get",
  path: "/itmo/cooperative-approaches/{cooperativeApproachId}",
  callers: everyKey,
  summary: "Read a cooperative approach",
  tags,
  request: { params: schemas.approachParams },
  responses: { 200: jsonContent(schemas.approach, "The cooperative approach"), ...errorResponses(404) },
});
const addAuthorization = createRoute({
  method: "post",
  path: "/itmo/authorizations",
  callers: onlyFor(["regulator"]),
  summary: "Register an authorization (regulator)",
  tags,
  request: { body: jsonBody(schemas.newAuthorization) },
  responses: { 201: jsonContent(schemas.authorization, "The authorization"), ...errorResponses(400, 403, 404, 409) },
});
const authorizations = createRoute({
  method: "get",
  path: "/itmo/authorizations",
  callers: everyKey,
  summary: "List authorizations",
  tags,
  request: { query: schemas.authorizationQuery },
  responses: {
    200: jsonContent(schemas.authorizationPage, "In the order of registration"),
    ...errorResponses(400, 404),
  },
});
const oneAuthorization = createRoute({
  method: "get",
  path: "/itmo/authorizations/{authorizationId}",
  callers: everyKey,
  summary: "Read an authorization with the versions of its quantity",
  tags,
  request: { params: schemas.authorizationParams },
  responses: { 200: jsonContent(schemas.authorization, "As the chain has it now"), ...errorResponses(404) },
});
const addVersion = createRoute({
  method: "post",
  path: "/itmo/authorizations/{authorizationId}/versions",
  callers: onlyFor(["regulator"]),
  summary: "Authorize another quantity, as a new version (regulator)",
  tags,
  request: { params: schemas.authorizationParams, body: jsonBody(schemas.newAuthorizationVersion) },
  responses: { 201: jsonContent(schemas.authorization, "The authorization"), ...errorResponses(400, 403, 404, 409) },
});
const addReduction = createRoute({
  method: "post",
  path: "/itmo/authorizations/{authorizationId}/reductions",
  callers: onlyFor(["regulator"]),
  summary: "Reduce an authorization for units that were not first transferred (regulator)",
  tags,
  request: { params: schemas.authorizationParams, body: jsonBody(schemas.newReduction) },
  responses: { 201: jsonContent(schemas.authorization, "The authorization"), ...errorResponses(400, 403, 404, 409) },
});
const addRevocation = createRoute({
  method: "post",
  path: "/itmo/authorizations/{authorizationId}/revocation",
  callers: onlyFor(["regulator"]),
  summary: "Revoke an authorization for units that were not first transferred (regulator)",
  tags,
  request: { params: schemas.authorizationParams, body: jsonBody(schemas.newRevocation) },
  responses: { 201: jsonContent(schemas.authorization, "The authorization"), ...errorResponses(400, 403, 404, 409) },
});

/** Cooperative approaches and authorizations. */
export function itmoRegistryRoutes(deps: ItmoDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(addApproach, async (c) =>
      c.json(await registerApproach(deps, requestContext(c), c.req.valid("json")), 201),
    )
    .openapi(approaches, async (c) => c.json(await listApproaches(deps, c.req.valid("query")), 200))
    .openapi(oneApproach, async (c) => {
      return c.json(await getApproach(deps, c.req.valid("param").cooperativeApproachId), 200);
    })
    .openapi(addAuthorization, async (c) => {
      return c.json(await registerAuthorization(deps, requestContext(c), c.req.valid("json")), 201);
    })
    .openapi(authorizations, async (c) => {
      return c.json(await listAuthorizations(deps, c.req.valid("query")), 200);
    })
    .openapi(oneAuthorization, async (c) => {
      return c.json(await getAuthorization(deps, c.req.valid("param").authorizationId), 200);
    })
    .openapi(addVersion, async (c) => {
      const { authorizationId } = c.req.valid("param");
      return c.json(await changeAuthorizedQuantity(deps, requestContext(c), authorizationId, c.req.valid("json")), 201);
    })
    .openapi(addReduction, async (c) => {
      const { authorizationId } = c.req.valid("param");
      return c.json(await reduceAuthorization(deps, requestContext(c), authorizationId, c.req.valid("json")), 201);
    })
    .openapi(addRevocation, async (c) => {
      const { authorizationId } = c.req.valid("param");
      return c.json(await revokeAuthorization(deps, requestContext(c), authorizationId, c.req.valid("json")), 201);
    });
}
