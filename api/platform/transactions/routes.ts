import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { everyRole } from "../http/callers.ts";
import { type AppEnv, serviceContext } from "../http/context.ts";
import { errorAnswers, jsonContent } from "../http/openapi.ts";
import { createRouter } from "../http/router.ts";
import { PREPARE_SCOPE, prepare } from "./prepare.ts";
import { prepared, prepareRequest, submitRequest, submitted } from "./schemas.ts";
import { RELAY_SCOPE, submitTransaction } from "./submit.ts";

const tags = ["Transactions"];

const prepareRoute = createRoute({
  method: "post",
  path: "/transactions/prepare",
  callers: everyRole(PREPARE_SCOPE),
  tags,
  summary: "Prepare what the holder of an account signs",
  request: { body: { required: true, content: jsonContent(prepareRequest) } },
  responses: {
    200: { description: "An unsigned transaction, or typed data to sign", content: jsonContent(prepared) },
    ...errorAnswers(400, 403, 404, 409, 503),
  },
});

const submitRoute = createRoute({
  method: "post",
  path: "/transactions",
  callers: everyRole(RELAY_SCOPE),
  tags,
  summary: "Relay a signed transaction and wait for its block",
  request: { body: { required: true, content: jsonContent(submitRequest) } },
  responses: {
    201: { description: "The transaction and its events", content: jsonContent(submitted) },
    ...errorAnswers(400, 403, 404, 409, 503),
  },
});

/** Transactions of callers who hold their own key. */
export function transactionRoutes(): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(prepareRoute, async (c) => c.json(await prepare(serviceContext(c), c.req.valid("json")), 200))
    .openapi(submitRoute, async (c) => c.json(await submitTransaction(serviceContext(c), c.req.valid("json")), 201));
}
