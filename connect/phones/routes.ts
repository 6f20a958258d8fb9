import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AppError } from "../../api/platform/errors.ts";
import {
  type App,
  type AppEnv,
  createRouter,
  errorResponses,
  jsonContent,
  onlyFor,
  type RequestContext,
  rateLimitHeaders,
  requestContext,
} from "../../api/platform/http/index.ts";
import { codeMessage, newCodeMessage } from "./codes/schemas.ts";
import { sendCode } from "./codes/service.ts";
import type { PhoneDeps } from "./deps.ts";
import {
  createdGateway,
  gateway,
  gatewayList,
  gatewayParams,
  newGateway,
  simulatedMessages,
} from "./gateways/schemas.ts";
import { createGateway, listGateways, listSimulated, revokeGateway } from "./gateways/service.ts";
import { newPhone, phone, phoneList, phoneQuery, removedPhone } from "./people/schemas.ts";
import { listPhones, registerPhone, removePhone } from "./people/service.ts";
import { newRequest, phoneRequest, requestParams } from "./requests/schemas.ts";
import { askHousehold, cancelRequest, getRequest } from "./requests/service.ts";

const tags = ["Phones"];
const admins = onlyFor([]);
const staff = onlyFor(["implementer"], "households:write");
const suppliers = onlyFor(["supplier"], "vouchers:redeem");
/** Each request sends an SMS, which costs money. */
const requestsPerMinute = 10;

const create = createRoute({
  method: "post",
  path: "/phones/gateways",
  callers: admins,
  secrets: ["ussdUrl", "smsUrl", "reportUrl"],
  tags,
  summary: "Make the URLs of a gateway to the mobile network",
  request: { body: { required: true, content: jsonContent(newGateway) } },
  responses: {
    201: { description: "The gateway; its URLs are shown only once", content: jsonContent(createdGateway) },
    ...errorResponses(400, 403, 409),
  },
});

const listAll = createRoute({
  method: "get",
  path: "/phones/gateways",
  callers: admins,
  tags,
  summary: "List gateways",
  responses: { 200: { description: "Oldest first", content: jsonContent(gatewayList) }, ...errorResponses(403) },
});

const revoke = createRoute({
  method: "delete",
  path: "/phones/gateways/{id}",
  callers: admins,
  tags,
  summary: "End a gateway's URLs and its API key",
  request: { params: gatewayParams },
  responses: { 200: { description: "The gateway", content: jsonContent(gateway) }, ...errorResponses(403, 404) },
});

const simulated = createRoute({
  method: "get",
  path: "/phones/gateways/{id}/messages",
  callers: admins,
  tags,
  summary: "Read the SMS that a simulator took",
  request: { params: gatewayParams },
  responses: {
    200: { description: "Newest first, at most 50", content: jsonContent(simulatedMessages) },
    ...errorResponses(403, 404),
  },
});

const register = createRoute({
  method: "post",
  path: "/phones",
  callers: staff,
  tags,
  summary: "Register a household's phone",
  description: "Number and household are stored encrypted.",
  request: { body: { required: true, content: jsonContent(newPhone) } },
  responses: {
    201: { description: "The phone", content: jsonContent(phone) },
    ...errorResponses(400, 403, 404, 409),
  },
});

const listOf = createRoute({
  method: "get",
  path: "/phones",
  callers: staff,
  tags,
  summary: "List the phones of a household",
  request: { query: phoneQuery },
  responses: {
    200: { description: "In the order of their registration", content: jsonContent(phoneList) },
    ...errorResponses(400, 403, 404),
  },
});

const remove = createRoute({
  method: "post",
  path: "/phones/removals",
  callers: staff,
  tags,
  summary: "Remove a household's phone",
  description: "The number is in the body, because logs contain paths.",
  request: { body: { required: true, content: jsonContent(removedPhone) } },
  responses: {
    200: { description: "The phones that are left", content: jsonContent(phoneList) },
    ...errorResponses(400, 403, 404),
  },
});

const askByPhone = createRoute({
  method: "post",
  path: "/phones/requests",
  callers: suppliers,
  tags,
  summary: "Ask a household to approve a purchase by phone",
  description: "The household has 15 minutes. It approves with its PIN, which redeems the voucher.",
  request: { body: { required: true, content: jsonContent(newRequest) } },
  responses: {
    201: { description: "The request, which waits", content: jsonContent(phoneRequest) },
    ...errorResponses(400, 403, 404, 409, 429, 503),
  },
});

const askForCode = createRoute({
  method: "post",
  path: "/phones/codes",
  callers: suppliers,
  tags,
  summary: "Send a household its next one-time code by SMS",
  description:
    "To the household's own phones, unless they sent STOP. The household tells the code to the till if it agrees.",
  request: { body: { required: true, content: jsonContent(newCodeMessage) } },
  responses: {
    201: { description: "The SMS is being sent", content: jsonContent(codeMessage) },
    ...errorResponses(400, 403, 404, 409, 429, 503),
  },
});

const read = createRoute({
  method: "get",
  path: "/phones/requests/{requestId}",
  callers: suppliers,
  tags,
  summary: "Read what a household answered",
  request: { params: requestParams },
  responses: { 200: { description: "The request", content: jsonContent(phoneRequest) }, ...errorResponses(403, 404) },
});

const cancel = createRoute({
  method: "post",
  path: "/phones/requests/{requestId}/cancel",
  callers: suppliers,
  tags,
  summary: "Cancel a request that a household has not answered",
  description:
    "The household can no longer approve it. One that it has answered stays as it is; `status` of the response says how it is now.",
  request: { params: requestParams },
  responses: { 200: { description: "The request", content: jsonContent(phoneRequest) }, ...errorResponses(403, 404) },
});

/** @throws AppError RATE_LIMITED for a key that asks too many households */
async function limitRequests(c: Context<AppEnv>, { actor }: RequestContext): Promise<void> {
  const allowance = await c.get("platform").rateLimiter.consume(`phone-requests:${actor.keyId}`, requestsPerMinute);
  if (allowance.allowed) return;
  const message = `A key may ask ${allowance.limit} households a minute.`;
  throw new AppError("RATE_LIMITED", message, { headers: rateLimitHeaders(allowance) });
}

/** Routes for people: gateways, households' phones, and purchases that wait for a household. */
export function phoneRoutes(deps: PhoneDeps): App {
  return createRouter()
    .openapi(create, async (c) => c.json(await createGateway(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(listAll, async (c) => c.json(await listGateways(deps, requestContext(c)), 200))
    .openapi(revoke, async (c) => c.json(await revokeGateway(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(simulated, async (c) => c.json(await listSimulated(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(register, async (c) => c.json(await registerPhone(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(listOf, async (c) =>
      c.json(await listPhones(deps, requestContext(c), c.req.valid("query").householdDid), 200),
    )
    .openapi(remove, async (c) => c.json(await removePhone(deps, requestContext(c), c.req.valid("json")), 200))
    .openapi(askByPhone, async (c) => {
      const ctx = requestContext(c);
      await limitRequests(c, ctx);
      return c.json(await askHousehold(deps, ctx, c.req.valid("json")), 201);
    })
    .openapi(askForCode, async (c) => {
      const ctx = requestContext(c);
      await limitRequests(c, ctx);
      return c.json(await sendCode(deps, ctx, c.req.valid("json"), c.get("platform").rateLimiter.consume), 201);
    })
    .openapi(read, async (c) => c.json(await getRequest(deps, requestContext(c), c.req.valid("param").requestId), 200))
    .openapi(cancel, async (c) =>
      c.json(await cancelRequest(deps, requestContext(c), c.req.valid("param").requestId), 200),
    );
}
