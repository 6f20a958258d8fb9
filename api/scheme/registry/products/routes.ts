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
import { newProduct, product, productChange, productPage, productParams, productQuery } from "./schemas.ts";
import { APPROVE_SCOPE, changeProduct, getProduct, listProducts, registerProduct, WRITE_SCOPE } from "./service.ts";

const register = createRoute({
  method: "post",
  path: "/products",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "Register a product",
  description: "An implementer's product starts pending, the scheme's own approved.",
  tags,
  request: { body: jsonBody(newProduct) },
  responses: { 201: jsonContent(product, "The product"), ...errorResponses(400, 403, 409) },
});

const list = createRoute({
  method: "get",
  path: "/products",
  callers: everyKey,
  summary: "List products",
  tags,
  request: { query: productQuery },
  responses: { 200: jsonContent(productPage, "Products in the order of their registration"), ...errorResponses(400) },
});

const getOne = createRoute({
  method: "get",
  path: "/products/{productId}",
  callers: everyKey,
  summary: "Read a product",
  tags,
  request: { params: productParams },
  responses: { 200: jsonContent(product, "The product with its status now"), ...errorResponses(404) },
});

const change = createRoute({
  method: "patch",
  path: "/products/{productId}",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE, APPROVE_SCOPE),
  summary: "Approve or withdraw a product, or set its price",
  description: "The regulator and the implementer that owns it may set its price.",
  tags,
  request: { params: productParams, body: jsonBody(productChange) },
  responses: { 200: jsonContent(product, "The product after the change"), ...errorResponses(400, 403, 404, 409) },
});

export function productRoutes(deps: RegistryDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(register, async (c) => c.json(await registerProduct(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listProducts(deps, c.req.valid("query")), 200))
    .openapi(getOne, async (c) => c.json(await getProduct(deps, c.req.valid("param").productId), 200))
    .openapi(change, async (c) =>
      c.json(await changeProduct(deps, requestContext(c), c.req.valid("param").productId, c.req.valid("json")), 200),
    );
}
