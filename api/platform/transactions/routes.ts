import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, everyRole, jsonContent, requestContext } from "../http/index.ts";
import type { PrepareAction } from "./action.ts";
import type { TransactionDeps } from "./deps.ts";
import { PREPARE_SCOPE, prepare, prepareRequestOf } from "./prepare.ts";
import { prepared, submitRequest, submitted } from "./schemas.ts";
import { RELAY_SCOPE, submitTransaction } from "./submit.ts";

const tags = ["Transactions"];

const submitRoute = createRoute({
  method: "post",
  path: "/transactions",
  callers: everyRole(RELAY_SCOPE),
  tags,
  summary: "Relay a signed transaction and wait for its block",
  request: { body: { required: true, content: jsonContent(submitRequest) } },
  responses: {
    201: { description: "The transaction and its events", content: jsonContent(submitted) },
    ...errorResponses(400, 403, 404, 409, 503),
  },
});

function prepareRouteOf(actions: readonly PrepareAction[]) {
  return createRoute({
    method: "post",
    path: "/transactions/prepare",
    callers: everyRole(PREPARE_SCOPE),
    changesNothing: true,
    tags,
    summary: "Prepare what the holder of an account signs",
    request: { body: { required: true, content: jsonContent(prepareRequestOf(actions)) } },
    responses: {
      200: { description: "An unsigned transaction, or typed data to sign", content: jsonContent(prepared) },
      ...errorResponses(400, 403, 404, 409, 503),
    },
  });
}

/** Create the routes for callers who sign transactions themselves. `actions`: what can be prepared. */
export function transactionRoutes(deps: TransactionDeps, actions: readonly PrepareAction[]): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(prepareRouteOf(actions), async (c) => {
      return c.json(await prepare(actions, requestContext(c), c.req.valid("json")), 200);
    })
    .openapi(submitRoute, async (c) =>
      c.json(await submitTransaction(deps, requestContext(c), c.req.valid("json")), 201),
    );
}
