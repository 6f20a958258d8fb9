import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { AppEnv } from "../../http/context.ts";
import { createRouter } from "../../http/router.ts";
import { contextOf, jsonBody, jsonContent, tags } from "../routing.ts";
import {
  flagReason,
  newSupplier,
  supplier,
  supplierChange,
  supplierPage,
  supplierParams,
  supplierQuery,
} from "./schemas.ts";
import { changeSupplier, flagSupplier, getSupplier, listSuppliers, registerSupplier } from "./service.ts";

const register = createRoute({
  method: "post",
  path: "/suppliers",
  summary: "Register a supplier",
  tags,
  request: { body: jsonBody(newSupplier) },
  responses: { 201: jsonContent(supplier, "The supplier, authorised") },
});

const list = createRoute({
  method: "get",
  path: "/suppliers",
  summary: "List suppliers",
  tags,
  request: { query: supplierQuery },
  responses: { 200: jsonContent(supplierPage, "Suppliers in the order of their registration") },
});

const getOne = createRoute({
  method: "get",
  path: "/suppliers/{did}",
  summary: "Read a supplier",
  tags,
  request: { params: supplierParams },
  responses: { 200: jsonContent(supplier, "The supplier as the chain has it now") },
});

const change = createRoute({
  method: "patch",
  path: "/suppliers/{did}",
  summary: "Suspend or authorise a supplier",
  tags,
  request: { params: supplierParams, body: jsonBody(supplierChange) },
  responses: { 200: jsonContent(supplier, "The supplier after the change") },
});

const flag = createRoute({
  method: "post",
  path: "/suppliers/{did}/{action}",
  summary: "Hold every claim of a supplier for review, or cease to",
  tags,
  request: {
    params: supplierParams.extend({ action: z.enum(["flag", "unflag"]) }),
    body: jsonBody(flagReason),
  },
  responses: { 200: jsonContent(supplier, "The supplier after the change") },
});

export function supplierRoutes(): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(register, async (c) => c.json(await registerSupplier(contextOf(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listSuppliers(contextOf(c), c.req.valid("query")), 200))
    .openapi(getOne, async (c) => c.json(await getSupplier(contextOf(c), c.req.valid("param").did), 200))
    .openapi(change, async (c) =>
      c.json(await changeSupplier(contextOf(c), c.req.valid("param").did, c.req.valid("json")), 200),
    )
    .openapi(flag, async (c) => {
      const { did, action } = c.req.valid("param");
      const { reason } = c.req.valid("json");
      return c.json(await flagSupplier(contextOf(c), did, { flagged: action === "flag", reason }), 200);
    });
}
