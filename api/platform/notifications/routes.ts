import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  jsonContent,
  limitSignIns,
  requestContext,
} from "../http/index.ts";
import type { NotificationDeps } from "./deps.ts";
import * as schemas from "./schemas.ts";
import {
  changeSubscription,
  confirmAddress,
  endByLink,
  endSubscription,
  listSubscriptions,
  notificationChannels,
  subscribe,
} from "./service.ts";

const tags = ["Notifications"];
const params = schemas.notificationParams;
/** Whether a request needs no key, because the token of a message's link is enough. */
export function isNotificationLink({ req }: Context): boolean {
  return req.method === "POST" && /^\/v1\/notifications\/(confirm|end|end\/[^/]+)$/.test(req.path);
}

const channels = createRoute({
  method: "get",
  path: "/notifications/channels",
  callers: everyKey,
  tags,
  summary: "Read how this system can notify people",
  responses: {
    200: { description: "The channels", content: jsonContent(schemas.notificationChannels) },
    ...errorResponses(403),
  },
});

const create = createRoute({
  method: "post",
  path: "/notifications",
  callers: everyKey,
  tags,
  summary: "Notify the caller of what waits, by e-mail or web push",
  description: "An e-mail address is asked to confirm first. Repeated for the same address: changes its choices.",
  request: { body: { required: true, content: jsonContent(schemas.newNotification) } },
  responses: {
    201: { description: "The subscription", content: jsonContent(schemas.notification) },
    ...errorResponses(400, 403, 409),
  },
});

const list = createRoute({
  method: "get",
  path: "/notifications",
  callers: everyKey,
  tags,
  summary: "List the caller's subscriptions",
  responses: {
    200: { description: "All of them, oldest first", content: jsonContent(schemas.notificationList) },
    ...errorResponses(403),
  },
});

const answered = {
  200: { description: "The subscription", content: jsonContent(schemas.notification) },
  ...errorResponses(400, 403, 404),
};
const change = createRoute({
  method: "patch",
  path: "/notifications/{id}",
  callers: everyKey,
  tags,
  summary: "Change what a subscription is about",
  request: { params, body: { required: true, content: jsonContent(schemas.notificationChange) } },
  responses: answered,
});

const end = createRoute({
  method: "delete",
  path: "/notifications/{id}",
  callers: everyKey,
  tags,
  summary: "End a subscription and delete its address",
  request: { params },
  responses: answered,
});

const outcome = {
  200: { description: "Done", content: jsonContent(schemas.notificationOutcome) },
  ...errorResponses(400, 404),
};
const confirm = createRoute({
  method: "post",
  path: "/notifications/confirm",
  tags,
  summary: "Confirm an e-mail address by the link that was sent to it",
  security: [],
  request: { body: { required: true, content: jsonContent(schemas.notificationToken) } },
  responses: outcome,
});

const endWithLink = createRoute({
  method: "post",
  path: "/notifications/end",
  tags,
  summary: "End a subscription by the link in its messages",
  security: [],
  request: { body: { required: true, content: jsonContent(schemas.notificationToken) } },
  responses: outcome,
});

const endWithOneClick = createRoute({
  method: "post",
  path: "/notifications/end/{token}",
  tags,
  summary: "End a subscription from the mail program's own button (RFC 8058)",
  security: [],
  request: { params: schemas.notificationTokenParams },
  responses: outcome,
});

/** Create the routes of notifications; and, for anyone with a link's token: confirm, end. */
export function notificationRoutes(deps: NotificationDeps): OpenAPIHono<AppEnv>[] {
  const kept = createRouter()
    .openapi(channels, (c) => c.json(notificationChannels(deps), 200))
    .openapi(create, async (c) => c.json(await subscribe(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listSubscriptions(deps, requestContext(c)), 200))
    .openapi(change, async (c) => {
      return c.json(
        await changeSubscription(deps, requestContext(c), c.req.valid("param").id, c.req.valid("json")),
        200,
      );
    })
    .openapi(end, async (c) => c.json(await endSubscription(deps, requestContext(c), c.req.valid("param").id), 200));
  const keyless = createRouter({ idempotent: false, middleware: limitSignIns() })
    .openapi(confirm, async (c) => c.json(await confirmAddress(deps, c.req.valid("json").token), 200))
    .openapi(endWithLink, async (c) => c.json(await endByLink(deps, c.req.valid("json").token), 200))
    .openapi(endWithOneClick, async (c) => c.json(await endByLink(deps, c.req.valid("param").token), 200));
  return [kept, keyless];
}
