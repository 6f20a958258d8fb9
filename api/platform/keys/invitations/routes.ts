import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  jsonContent,
  limitSignIns,
  listQuery,
  onlyFor,
  requestContext,
  requestUrls,
} from "../../http/index.ts";
import type { KeyDeps } from "../deps.ts";
import { createdApiKey } from "../schemas.ts";
import {
  acceptance,
  createdInvitation,
  deviceInvitation,
  invitation,
  invitationOffer,
  invitationPage,
  invitationParams,
  newInvitation,
  shownInvitation,
} from "./schemas.ts";
import { acceptInvitation, invite, inviteDevice, listInvitations, readOffer, revokeInvitation } from "./service.ts";

const tags = ["Keys"];
const secrets = ["token", "url"];
/** Paths below /v1 for which the invitation's token is enough. */
export const invitationPaths = ["/v1/invitations/show", "/v1/invitations/accept"];

const create = createRoute({
  method: "post",
  path: "/invitations",
  callers: onlyFor([]),
  secrets,
  tags,
  summary: "Invite a person to make an API key on their own device",
  request: { body: { required: true, content: jsonContent(newInvitation) } },
  responses: {
    201: { description: "The invitation; its link is shown only once", content: jsonContent(createdInvitation) },
    ...errorResponses(400, 403, 404, 409),
  },
});

const createForDevice = createRoute({
  method: "post",
  path: "/keys/self/invitations",
  callers: everyKey,
  secrets,
  tags,
  summary: "Invite the caller's next device",
  request: { body: { required: true, content: jsonContent(deviceInvitation) } },
  responses: {
    201: { description: "The invitation; its link is shown only once", content: jsonContent(createdInvitation) },
    ...errorResponses(400, 409),
  },
});

const list = createRoute({
  method: "get",
  path: "/invitations",
  callers: onlyFor([]),
  tags,
  summary: "List invitations",
  request: { query: listQuery },
  responses: {
    200: { description: "One page, newest first", content: jsonContent(invitationPage) },
    ...errorResponses(400, 403),
  },
});

const revoke = createRoute({
  method: "delete",
  path: "/invitations/{id}",
  callers: onlyFor([]),
  tags,
  summary: "Revoke an invitation that is open",
  request: { params: invitationParams },
  responses: {
    200: { description: "The revoked invitation", content: jsonContent(invitation) },
    ...errorResponses(403, 404, 409),
  },
});

const show = createRoute({
  method: "post",
  path: "/invitations/show",
  tags,
  summary: "Read what an invitation offers",
  security: [],
  request: { body: { required: true, content: jsonContent(shownInvitation) } },
  responses: {
    200: { description: "The offer", content: jsonContent(invitationOffer) },
    ...errorResponses(400, 404),
  },
});

const accept = createRoute({
  method: "post",
  path: "/invitations/accept",
  tags,
  summary: "Accept an invitation: make its API key, bound to the key pair of the DPoP proof",
  security: [],
  request: { body: { required: true, content: jsonContent(acceptance) } },
  responses: {
    201: { description: "The key, shown only once", content: jsonContent(createdApiKey) },
    ...errorResponses(400, 404),
  },
});

/** Create the routes of invitations: create, list, revoke; and, for anyone with a token: show, accept. */
export function invitationRoutes(deps: KeyDeps): OpenAPIHono<AppEnv>[] {
  const kept = createRouter()
    .openapi(create, async (c) => c.json(await invite(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(createForDevice, async (c) =>
      c.json(await inviteDevice(deps, requestContext(c), c.req.valid("json")), 201),
    )
    .openapi(list, async (c) => c.json(await listInvitations(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(revoke, async (c) =>
      c.json(await revokeInvitation(deps, requestContext(c), c.req.valid("param").id), 200),
    );
  const keyless = createRouter({ idempotent: false, middleware: limitSignIns() })
    .openapi(show, async (c) => c.json(await readOffer(deps, c.req.valid("json").token), 200))
    .openapi(accept, async (c) => {
      const request = { proof: c.req.header("dpop"), method: c.req.method, urls: requestUrls(c) };
      return c.json(await acceptInvitation(deps, c.req.valid("json"), request), 201);
    });
  return [kept, keyless];
}
