import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, everyKey, jsonContent, requestContext } from "../http/index.ts";
import type { FaucetDeps } from "./deps.ts";
import { faucetRequest, faucetResponse } from "./schemas.ts";
import { mintTestStablecoin } from "./service.ts";

const faucet = createRoute({
  method: "post",
  path: "/dev/faucet",
  callers: everyKey,
  tags: ["Development"],
  summary: "Give an account test stablecoin (embedded chain only)",
  request: { body: { required: true, content: jsonContent(faucetRequest) } },
  responses: {
    201: { description: "The tokens are in the account", content: jsonContent(faucetResponse) },
    ...errorResponses(400, 404),
  },
});

/** Routes that exist only on the embedded chain. */
export function devRoutes(deps: FaucetDeps): OpenAPIHono<AppEnv> {
  return createRouter().openapi(faucet, async (c) =>
    c.json(await mintTestStablecoin(deps, requestContext(c), c.req.valid("json")), 201),
  );
}
