import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyRole,
  jsonContent,
  requestContext,
} from "../../../platform/http/index.ts";
import type { ClaimDeps } from "../deps.ts";
import { listPayments, PAYMENT_SCOPE } from "./list.ts";
import { paymentPage, paymentQuery } from "./schemas.ts";

const list = createRoute({
  method: "get",
  path: "/payments",
  callers: everyRole(PAYMENT_SCOPE),
  tags: ["Claims"],
  summary: "List payments for claims",
  request: { query: paymentQuery },
  responses: {
    200: { description: "One page, in the chain's order", content: jsonContent(paymentPage) },
    ...errorResponses(400, 403, 503),
  },
});

/** Route of the payments that the chain made for claims. */
export function paymentRoutes(deps: ClaimDeps): OpenAPIHono<AppEnv> {
  return createRouter().openapi(list, async (c) =>
    c.json(await listPayments(deps, requestContext(c), c.req.valid("query")), 200),
  );
}
