import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  jsonContent,
  limitSignIns,
  requestContext,
} from "../http/index.ts";
import type { SessionDeps } from "./deps.ts";
import { createdSession, newSession, session, sessionChange, sessionParams, signInNonce } from "./schemas.ts";
import { changeSession, endSession, readOwnSession } from "./service.ts";
import { beginSession, issueNonce } from "./sign-in.ts";

const tags = ["Sessions"];

const issue = createRoute({
  method: "post",
  path: "/sessions/nonces",
  tags,
  summary: "Ask for the nonce of a sign-in message",
  security: [],
  responses: { 201: { description: "The nonce", content: jsonContent(signInNonce) }, ...errorResponses() },
});

const begin = createRoute({
  method: "post",
  path: "/sessions",
  tags,
  summary: "Sign in with a wallet (ERC-4361)",
  security: [],
  request: { body: { required: true, content: jsonContent(newSession) } },
  responses: {
    201: { description: "The session; its token is shown only once", content: jsonContent(createdSession) },
    ...errorResponses(400, 403, 503),
  },
});

const readSelf = createRoute({
  method: "get",
  path: "/sessions/self",
  callers: everyKey,
  tags,
  summary: "Read the session that makes the request",
  responses: { 200: { description: "The session", content: jsonContent(session) }, ...errorResponses(404) },
});

const change = createRoute({
  method: "patch",
  path: "/sessions/self",
  callers: everyKey,
  tags,
  summary: "Act as something else that the account is",
  request: { body: { required: true, content: jsonContent(sessionChange) } },
  responses: { 200: { description: "The session", content: jsonContent(session) }, ...errorResponses(400, 403, 404) },
});

const end = createRoute({
  method: "delete",
  path: "/sessions/{id}",
  callers: everyKey,
  tags,
  summary: "End a session; `self` names the one that makes the request",
  request: { params: sessionParams },
  responses: { 204: { description: "It has ended" }, ...errorResponses(404) },
});

/** Create the routes of wallet sessions: begin, read, change, end. */
export function sessionRoutes(deps: SessionDeps): OpenAPIHono<AppEnv> {
  const router = createRouter({ idempotent: false });
  for (const path of ["/sessions", "/sessions/nonces"]) router.post(path, limitSignIns());
  return router
    .openapi(issue, async (c) => c.json(await issueNonce(deps), 201))
    .openapi(begin, async (c) => c.json(await beginSession(deps, c.req.valid("json")), 201))
    .openapi(readSelf, async (c) => c.json(await readOwnSession(deps, requestContext(c)), 200))
    .openapi(change, async (c) => c.json(await changeSession(deps, requestContext(c), c.req.valid("json")), 200))
    .openapi(end, async (c) => {
      await endSession(deps, requestContext(c), c.req.valid("param").id);
      return c.body(null, 204);
    });
}
