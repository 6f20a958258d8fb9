import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  jsonContent,
  onlyFor,
  requestContext,
} from "../../../platform/http/index.ts";
import { claimParams } from "../../claims/index.ts";
import type { KptServiceDeps } from "../deps.ts";
import { campaignClaimParams } from "../schemas.ts";
import { campaignFlags, claimChecks } from "./schemas.ts";
import { getClaimChecks, listClaimFlags } from "./service.ts";

const callers = onlyFor(["evaluator", "regulator"]);

const list = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/claim-flags",
  callers,
  tags: ["Campaigns"],
  summary: "List the contradictions between a campaign's claims and other records and their photos, visits and scales",
  request: { params: campaignClaimParams },
  responses: {
    200: { description: "The flags of all valid claims", content: jsonContent(campaignFlags) },
    ...errorResponses(403, 404),
  },
});

const checks = createRoute({
  method: "get",
  path: "/claims/{id}/checks",
  callers,
  tags: ["Claims"],
  summary: "Read the data of a KPT claim's photos and visits, and its flags",
  request: { params: claimParams },
  responses: {
    200: { description: "For evaluators: places may tell where a household lives", content: jsonContent(claimChecks) },
    ...errorResponses(403, 404),
  },
});

/** The evaluator's view of KPT claims. */
export function claimCheckRoutes(deps: KptServiceDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(list, async (c) =>
      c.json(await listClaimFlags(deps, requestContext(c), c.req.valid("param").campaignId), 200),
    )
    .openapi(checks, async (c) => c.json(await getClaimChecks(deps, requestContext(c), c.req.valid("param").id), 200));
}
