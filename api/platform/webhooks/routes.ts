import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyRole,
  jsonContent,
  listQuery,
  requestContext,
} from "../http/index.ts";
import type { WebhookDeps } from "./deps.ts";
import * as schemas from "./schemas.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  replayDeliveries,
  WEBHOOK_SCOPE,
} from "./service.ts";

const tags = ["Webhooks"];
const params = schemas.webhookParams;

const create = createRoute({
  method: "post",
  path: "/webhooks",
  callers: everyRole(WEBHOOK_SCOPE),
  secrets: ["secret"],
  tags,
  summary: "Send the key's events to a URL",
  description: "Signed as in Standard Webhooks; retried with growing waits for about three days; at least once each.",
  request: { body: { required: true, content: jsonContent(schemas.newWebhook) } },
  responses: {
    201: { description: "The webhook", content: jsonContent(schemas.createdWebhook) },
    ...errorResponses(400, 403, 409),
  },
});

const list = createRoute({
  method: "get",
  path: "/webhooks",
  callers: everyRole(WEBHOOK_SCOPE),
  tags,
  summary: "List the key's webhooks",
  request: { query: listQuery },
  responses: {
    200: { description: "One page", content: jsonContent(schemas.webhookPage) },
    ...errorResponses(400, 403),
  },
});

const answered = {
  200: { description: "The webhook", content: jsonContent(schemas.webhook) },
  ...errorResponses(403, 404),
};
const read = createRoute({
  method: "get",
  path: "/webhooks/{id}",
  callers: everyRole(WEBHOOK_SCOPE),
  tags,
  summary: "Read a webhook",
  request: { params },
  responses: answered,
});

const remove = createRoute({
  method: "delete",
  path: "/webhooks/{id}",
  callers: everyRole(WEBHOOK_SCOPE),
  tags,
  summary: "End a webhook",
  request: { params },
  responses: answered,
});

const deliveries = createRoute({
  method: "get",
  path: "/webhooks/{id}/deliveries",
  callers: everyRole(WEBHOOK_SCOPE),
  tags,
  summary: "List what was sent, newest first",
  request: { params, query: schemas.deliveryQuery },
  responses: {
    200: { description: "One page", content: jsonContent(schemas.deliveryPage) },
    ...errorResponses(400, 403, 404),
  },
});

const replay = createRoute({
  method: "post",
  path: "/webhooks/{id}/replay",
  callers: everyRole(WEBHOOK_SCOPE),
  tags,
  summary: "Send finished deliveries again",
  request: { params, body: { required: false, content: jsonContent(schemas.replayRequest) } },
  responses: {
    200: { description: "How many will be sent again", content: jsonContent(schemas.replayed) },
    ...errorResponses(400, 403, 404),
  },
});

/** Create the routes of webhooks: create, list, read, delete, deliveries, replay. */
export function webhookRoutes(deps: WebhookDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(create, async (c) => c.json(await createWebhook(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listWebhooks(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(read, async (c) => c.json(await getWebhook(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(remove, async (c) => c.json(await deleteWebhook(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(deliveries, async (c) => {
      return c.json(await listDeliveries(deps, requestContext(c), c.req.valid("param").id, c.req.valid("query")), 200);
    })
    .openapi(replay, async (c) => {
      return c.json(await replayDeliveries(deps, requestContext(c), c.req.valid("param").id, c.req.valid("json")), 200);
    });
}
