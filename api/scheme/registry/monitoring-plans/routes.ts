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
import { newPlan, plan, planPage, planParams, planQuery } from "./schemas.ts";
import { getPlan, listPlans, registerPlan, WRITE_SCOPE } from "./service.ts";

const register = createRoute({
  method: "post",
  path: "/monitoring-plans",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "Register a monitoring plan",
  tags,
  request: { body: jsonBody(newPlan) },
  responses: { 201: jsonContent(plan, "The plan; it never changes"), ...errorResponses(400, 403, 409) },
});

const list = createRoute({
  method: "get",
  path: "/monitoring-plans",
  callers: everyKey,
  summary: "List monitoring plans",
  tags,
  request: { query: planQuery },
  responses: { 200: jsonContent(planPage, "Plans in the order of their registration"), ...errorResponses(400) },
});

const getOne = createRoute({
  method: "get",
  path: "/monitoring-plans/{planId}",
  callers: everyKey,
  summary: "Read a monitoring plan",
  description: 'The scheme\'s own plan is "default".',
  tags,
  request: { params: planParams },
  responses: { 200: jsonContent(plan, "The plan"), ...errorResponses(404) },
});

export function planRoutes(deps: RegistryDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(register, async (c) => c.json(await registerPlan(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listPlans(deps, c.req.valid("query")), 200))
    .openapi(getOne, async (c) => c.json(await getPlan(deps, c.req.valid("param").planId), 200));
}
