import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, everyKey, jsonContent, requestContext } from "../http/index.ts";
import type { OperationDeps } from "./deps.ts";
import { operation, operationParams, operationRowPage, operationRowsQuery } from "./schemas.ts";
import { listOperationRows, readOperation } from "./service.ts";

const tags = ["Operations"];

const read = createRoute({
  method: "get",
  path: "/operations/{id}",
  callers: everyKey,
  tags,
  summary: "Read how far an operation is",
  request: { params: operationParams },
  responses: { 200: { description: "The operation", content: jsonContent(operation) }, ...errorResponses(404) },
});

const rows = createRoute({
  method: "get",
  path: "/operations/{id}/rows",
  callers: everyKey,
  tags,
  summary: "List an operation's rows with their answers",
  request: { params: operationParams, query: operationRowsQuery },
  responses: {
    200: { description: "One page in the order given", content: jsonContent(operationRowPage) },
    ...errorResponses(400, 404),
  },
});

/** Create the routes of operations: progress and rows. */
export function operationRoutes(deps: OperationDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(read, async (c) => c.json(await readOperation(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(rows, async (c) =>
      c.json(await listOperationRows(deps, requestContext(c), c.req.valid("param").id, c.req.valid("query")), 200),
    );
}
