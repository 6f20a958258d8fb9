import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { AppError } from "../../../platform/errors.ts";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  jsonContent,
  onlyFor,
  rateLimitHeaders,
  requestContext,
} from "../../../platform/http/index.ts";
import { redeemScope } from "../access.ts";
import type { VoucherDeps } from "../deps.ts";
import { foundCard, lookupRequest } from "../schemas.ts";
import { lookUpCard } from "./card-lookup.ts";

/** Guessing a card takes about a hundred thousand tries for each million cards; at this rate, more than a day. */
const lookupsPerMinute = 60;

const lookUp = createRoute({
  method: "post",
  path: "/cards/lookup",
  callers: onlyFor(["supplier", "implementer", "evaluator", "regulator"], redeemScope, "cards:read", "cards:write"),
  changesNothing: true,
  tags: ["Cards"],
  summary: "Find a household's card by its code, with the vouchers that can be redeemed",
  description: `A key may look up ${lookupsPerMinute} cards a minute. The code is in the body, because logs contain paths.`,
  request: { body: { required: true, content: jsonContent(lookupRequest) } },
  responses: {
    200: { description: "The card", content: jsonContent(foundCard) },
    ...errorResponses(400, 403, 404, 429, 503),
  },
});

/** Cards at a supplier's counter. */
export function cardLookupRoutes(deps: VoucherDeps): OpenAPIHono<AppEnv> {
  return createRouter().openapi(lookUp, async (c) => {
    const ctx = requestContext(c);
    const allowance = await c.get("platform").rateLimiter.consume(`cards:${ctx.actor.keyId}`, lookupsPerMinute);
    if (!allowance.allowed) {
      const message = `A key may look up ${allowance.limit} cards a minute.`;
      throw new AppError("RATE_LIMITED", message, { headers: rateLimitHeaders(allowance) });
    }
    return c.json(await lookUpCard(deps, ctx, c.req.valid("json").code), 200);
  });
}
