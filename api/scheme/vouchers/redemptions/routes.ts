import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  jsonContent,
  onlyFor,
  requestContext,
} from "../../../platform/http/index.ts";
import { redeemScope, voucherReaders } from "../access.ts";
import type { VoucherDeps } from "../deps.ts";
import * as schemas from "../schemas.ts";
import { flagRedemption, lapseRedemption, reverseRedemption } from "./lifecycle.ts";
import { getRedemption } from "./redemptions.ts";

const tags = ["Redemptions"];
const params = schemas.redemptionParams;
const changed = { description: "The redemption as it is now", content: jsonContent(schemas.changedRedemption) };
const reasoned = { required: true, content: jsonContent(schemas.actionRequest) };

const read = createRoute({
  method: "get",
  path: "/redemptions/{redemptionId}",
  callers: voucherReaders,
  tags,
  summary: "Read a redemption from the chain",
  request: { params },
  responses: {
    200: { description: "The redemption", content: jsonContent(schemas.redemption) },
    ...errorResponses(403, 404),
  },
});

const reverse = createRoute({
  method: "post",
  path: "/redemptions/{redemptionId}/reverse",
  callers: onlyFor(["supplier"], redeemScope),
  tags,
  summary: "Give a redemption back before delivery (its supplier)",
  request: { params, body: reasoned },
  responses: { 200: changed, ...errorResponses(400, 403, 404, 409) },
});

const lapse = createRoute({
  method: "post",
  path: "/redemptions/{redemptionId}/lapse",
  callers: voucherReaders,
  tags,
  summary: "Give back a redemption whose deadline passed without an approved claim",
  request: { params, body: { content: jsonContent(schemas.optionalReason) } },
  responses: { 200: changed, ...errorResponses(403, 404, 409) },
});

const flag = createRoute({
  method: "post",
  path: "/redemptions/{redemptionId}/flag",
  callers: onlyFor(["evaluator"]),
  tags,
  summary: "Have the redemption's claim held for review (evaluator)",
  request: { params, body: reasoned },
  responses: { 200: changed, ...errorResponses(400, 403, 404, 409) },
});

/** Routes to read, reverse, lapse and flag redemptions. */
export function redemptionRoutes(deps: VoucherDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(read, async (c) =>
      c.json(await getRedemption(deps, requestContext(c), c.req.valid("param").redemptionId), 200),
    )
    .openapi(reverse, async (c) => {
      const input = { ...c.req.valid("param"), ...c.req.valid("json") };
      return c.json(await reverseRedemption(deps, requestContext(c), input), 200);
    })
    .openapi(lapse, async (c) => c.json(await lapseRedemption(deps, requestContext(c), c.req.valid("param")), 200))
    .openapi(flag, async (c) => {
      return c.json(
        await flagRedemption(deps, requestContext(c), { ...c.req.valid("param"), ...c.req.valid("json") }),
        200,
      );
    });
}
