import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
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
  flagReason,
  newSupplier,
  supplier,
  supplierChange,
  supplierPage,
  supplierParams,
  supplierQuery,
} from "./schemas.ts";
import { changeSupplier, flagSupplier, getSupplier, listSuppliers, registerSupplier, WRITE_SCOPE } from "./service.ts";

const register = createRoute({
  method: "post",
  path: "/suppliers",
  callers: onlyFor(["regulator"], WRITE_SCOPE),
  summary: "Register a supplier",
  tags,
  request: { body: jsonBody(newSupplier) },
  responses: { 201: jsonContent(supplier, "The supplier, authorised"), ...errorResponses(400, 403, 409) },
});

const list = createRoute({
  method: "get",
  path: "/suppliers",
  callers: everyKey,
  summary: "List suppliers",
  tags,
  request: { query: supplierQuery },
  responses: { 200: jsonContent(supplierPage, "Suppliers in the order of their registration"), ...errorResponses(400) },
});

const getOne = createRoute({
  method: "get",
  path: "/suppliers/{did}",
  callers: everyKey,
  summary: "Read a supplier",
  tags,
  request: { params: supplierParams },
  responses: { 200: jsonContent(supplier, "The supplier as the chain has it now"), ...errorResponses(404) },
});

const change = createRoute({
  method: "patch",
  path: "/suppliers/{did}",
  callers: onlyFor(["regulator"], WRITE_SCOPE),
  summary: "Suspend or authorise a supplier",
  tags,
  request: { params: supplierParams, body: jsonBody(supplierChange) },
  responses: { 200: jsonContent(supplier, "The supplier after the change"), ...errorResponses(400, 403, 404, 409) },
});

const flag = createRoute({
  method: "post",
  path: "/suppliers/{did}/{action}",
  callers: onlyFor(["evaluator"]),
  summary: "Hold every claim of a supplier for review, or cease to",
  tags,
  request: {
    params: supplierParams.extend({ action: z.enum(["flag", "unflag"]) }),
    body: jsonBody(flagReason),
  },
  responses: { 200: jsonContent(supplier, "The supplier after the change"), ...errorResponses(400, 403, 404, 409) },
});

export function supplierRoutes(deps: RegistryDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(register, async (c) => c.json(await registerSupplier(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listSuppliers(deps, c.req.valid("query")), 200))
    .openapi(getOne, async (c) => c.json(await getSupplier(deps, c.req.valid("param").did), 200))
    .openapi(change, async (c) =>
      c.json(await changeSupplier(deps, requestContext(c), c.req.valid("param").did, c.req.valid("json")), 200),
    )
    .openapi(flag, async (c) => {
      const { did, action } = c.req.valid("param");
      const { reason } = c.req.valid("json");
      return c.json(await flagSupplier(deps, requestContext(c), did, { flagged: action === "flag", reason }), 200);
    });
}
