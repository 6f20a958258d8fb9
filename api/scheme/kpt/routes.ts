import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  jsonContent,
  onlyFor,
  requestContext,
} from "../../platform/http/index.ts";
import { claimParams } from "../claims/index.ts";
import { kptReaders } from "./access.ts";
import type { KptServiceDeps } from "./deps.ts";
import { campaignClaimParams, campaignClaimQuery, kptClaim, kptClaimPage, revocation } from "./schemas.ts";
import { listCampaignClaims, revokeKptClaim } from "./service.ts";

const list = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/claims",
  callers: kptReaders,
  tags: ["Campaigns"],
  summary: "List the KPT claims of a campaign",
  request: { params: campaignClaimParams, query: campaignClaimQuery },
  responses: {
    200: { description: "One page, in the order of filing", content: jsonContent(kptClaimPage) },
    ...errorResponses(400, 403, 404),
  },
});

const revoke = createRoute({
  method: "post",
  path: "/claims/{id}/revoke",
  callers: onlyFor(["evaluator", "regulator"]),
  tags: ["Claims"],
  summary: "Revoke a KPT claim, its credential and its record",
  request: { params: claimParams, body: { required: true, content: jsonContent(revocation) } },
  responses: {
    200: { description: "The claim", content: jsonContent(kptClaim) },
    ...errorResponses(400, 403, 404, 409),
  },
});

/** Routes of KPT claims. The routes for all kinds of claims file and read them. */
export function kptRoutes(deps: KptServiceDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(list, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await listCampaignClaims(deps, requestContext(c), campaignId, c.req.valid("query")), 200);
    })
    .openapi(revoke, async (c) => {
      const { id } = c.req.valid("param");
      return c.json(await revokeKptClaim(deps, requestContext(c), id, c.req.valid("json").reason), 200);
    });
}
