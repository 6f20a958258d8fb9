import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  jsonContent,
  limitSignIns,
  requestContext,
  requestUrls,
} from "../../http/index.ts";
import type { KeyDeps } from "../deps.ts";
import { createdApiKey } from "../schemas.ts";
import {
  newPasskey,
  passkey,
  passkeyChallenge,
  passkeyList,
  passkeyParams,
  passkeySignIn,
  webauthnOptions,
} from "./schemas.ts";
import {
  listPasskeys,
  passkeyRegistrationOptions,
  passkeySignInOptions,
  registerPasskey,
  revokePasskey,
  signInWithPasskey,
} from "./service.ts";

const tags = ["Keys"];
/** Paths below /v1 for which a passkey is enough. */
export const passkeyPaths = ["/v1/passkeys/challenges", "/v1/passkeys/sign-in"];

const begin = createRoute({
  method: "post",
  path: "/keys/self/passkeys/challenges",
  callers: everyKey,
  changesNothing: true,
  tags,
  summary: "Begin to register a passkey for the caller's key",
  responses: {
    201: { description: "Options for navigator.credentials.create", content: jsonContent(webauthnOptions) },
    ...errorResponses(400, 409),
  },
});

const register = createRoute({
  method: "post",
  path: "/keys/self/passkeys",
  callers: everyKey,
  tags,
  summary: "Register a passkey, with which the person gets a key on another device",
  request: { body: { required: true, content: jsonContent(newPasskey) } },
  responses: { 201: { description: "The passkey", content: jsonContent(passkey) }, ...errorResponses(400, 409) },
});

const list = createRoute({
  method: "get",
  path: "/keys/self/passkeys",
  callers: everyKey,
  tags,
  summary: "List the passkeys of the caller's person",
  responses: { 200: { description: "Newest first", content: jsonContent(passkeyList) }, ...errorResponses(400) },
});

const revoke = createRoute({
  method: "delete",
  path: "/keys/self/passkeys/{id}",
  callers: everyKey,
  tags,
  summary: "Revoke a passkey of the caller's person",
  request: { params: passkeyParams },
  responses: {
    200: { description: "The revoked passkey", content: jsonContent(passkey) },
    ...errorResponses(400, 404),
  },
});

const beginSignIn = createRoute({
  method: "post",
  path: "/passkeys/challenges",
  tags,
  summary: "Begin to sign in with a passkey on a device with this key pair",
  security: [],
  request: { body: { required: true, content: jsonContent(passkeyChallenge) } },
  responses: {
    201: { description: "Options for navigator.credentials.get", content: jsonContent(webauthnOptions) },
    ...errorResponses(400, 409),
  },
});

const signIn = createRoute({
  method: "post",
  path: "/passkeys/sign-in",
  tags,
  summary: "Sign in with a passkey: make an API key, bound to the key pair of the DPoP proof",
  description: "The proof's `ath` is that of the challenge.",
  security: [],
  request: { body: { required: true, content: jsonContent(passkeySignIn) } },
  responses: {
    201: { description: "The key, shown only once", content: jsonContent(createdApiKey) },
    ...errorResponses(400, 404, 409),
  },
});

/** Create the routes of passkeys: register, list, revoke; and, for anyone with a passkey: sign in. */
export function passkeyRoutes(deps: KeyDeps): OpenAPIHono<AppEnv>[] {
  const kept = createRouter({ idempotent: false })
    .openapi(begin, async (c) => c.json({ ...(await passkeyRegistrationOptions(deps, requestContext(c))) }, 201))
    .openapi(register, async (c) => c.json(await registerPasskey(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listPasskeys(deps, requestContext(c)), 200))
    .openapi(revoke, async (c) => c.json(await revokePasskey(deps, requestContext(c), c.req.valid("param").id), 200));
  const keyless = createRouter({ idempotent: false, middleware: limitSignIns() })
    .openapi(beginSignIn, async (c) =>
      c.json({ ...(await passkeySignInOptions(deps, c.req.valid("json").publicJwk)) }, 201),
    )
    .openapi(signIn, async (c) => {
      const request = { proof: c.req.header("dpop"), method: c.req.method, urls: requestUrls(c) };
      return c.json(await signInWithPasskey(deps, c.req.valid("json"), request), 201);
    });
  return [kept, keyless];
}
