import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, onlyFor, requestContext } from "../../../platform/http/index.ts";
import { jsonBody, jsonContent } from "../../registry/index.ts";
import { READ_SCOPE, WRITE_SCOPE } from "../access.ts";
import type { CardDeps } from "../deps.ts";
import { newPin, pinParams, pinState } from "./schemas.ts";
import { readPin, setPin } from "./service.ts";

const tags = ["Cards"];

const set = createRoute({
  method: "put",
  path: "/households/{did}/pin",
  callers: onlyFor(["implementer"], WRITE_SCOPE),
  guessable: ["pin"],
  tags,
  summary: "Set a household's PIN",
  description: "The household types it. Another PIN needs a reason, and ends a lock.",
  request: { params: pinParams, body: jsonBody(newPin) },
  responses: { 200: jsonContent(pinState, "The PIN is set"), ...errorResponses(400, 403, 404) },
});

const read = createRoute({
  method: "get",
  path: "/households/{did}/pin",
  callers: onlyFor(["implementer", "evaluator", "regulator"], READ_SCOPE, WRITE_SCOPE),
  tags,
  summary: "Read whether a household has a PIN, whether it is locked, and who set it",
  request: { params: pinParams },
  responses: { 200: jsonContent(pinState, "Never the PIN itself"), ...errorResponses(403, 404) },
});

/** Households' PINs. */
export function pinRoutes(deps: CardDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(set, async (c) =>
      c.json(await setPin(deps, requestContext(c), c.req.valid("param").did, c.req.valid("json")), 200),
    )
    .openapi(read, async (c) => c.json(await readPin(deps, requestContext(c), c.req.valid("param").did), 200));
}
