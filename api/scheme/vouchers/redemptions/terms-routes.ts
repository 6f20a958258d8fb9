import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  jsonContent,
  onlyFor,
  requestContext,
} from "../../../platform/http/index.ts";
import type { VoucherDeps } from "../deps.ts";
import { redemptionTerms, redemptionTermsChange } from "../schemas.ts";
import { changeRedemptionTerms, readRedemptionTerms } from "./terms.ts";

const tags = ["Redemptions"];
const answered = { description: "The terms in force", content: jsonContent(redemptionTerms) };

const read = createRoute({
  method: "get",
  path: "/redemption-terms",
  callers: everyKey,
  tags,
  summary: "Read whether every redemption needs the household's consent",
  responses: { 200: answered, ...errorResponses() },
});

const change = createRoute({
  method: "patch",
  path: "/redemption-terms",
  callers: onlyFor(["regulator"]),
  tags,
  summary: "Require the household's consent for every redemption",
  description:
    "By a signature or a code. In force immediately. Only the council can end it, with its action `cease-consent`.",
  request: { body: { required: true, content: jsonContent(redemptionTermsChange) } },
  responses: { 200: answered, ...errorResponses(400, 403, 409) },
});

/** Routes to read and tighten the terms of all redemptions. */
export function redemptionTermsRoutes(deps: VoucherDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(read, async (c) => c.json(await readRedemptionTerms(deps), 200))
    .openapi(change, async (c) =>
      c.json(await changeRedemptionTerms(deps, requestContext(c), c.req.valid("json")), 200),
    );
}
