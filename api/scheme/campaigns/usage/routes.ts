import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, onlyFor, requestContext } from "../../../platform/http/index.ts";
import { jsonBody, jsonContent } from "../../registry/index.ts";
import { campaignReaders, WRITE_SCOPE } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import { campaignParams } from "../schemas.ts";
import { getUsageSurvey, listUsagePositions, markUsageMissing, recordUsage } from "./records.ts";
import {
  newUsageMissing,
  newUsageRecord,
  usagePosition,
  usagePositionPage,
  usagePositionQuery,
  usageSurvey,
} from "./schemas.ts";

const tags = ["Campaigns"];
const surveyors = onlyFor(["regulator", "evaluator", "implementer"], WRITE_SCOPE);

const read = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/usage-survey",
  callers: campaignReaders,
  summary: "Read the usage survey of a campaign: its frame, draw and counts by age of the devices",
  tags,
  request: { params: campaignParams },
  responses: { 200: jsonContent(usageSurvey, "The usage survey"), ...errorResponses(403, 404) },
});

const list = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/usage-survey/positions",
  callers: campaignReaders,
  summary: "List the devices that were drawn for the usage survey, with their records; none before the draw",
  tags,
  request: { params: campaignParams, query: usagePositionQuery },
  responses: {
    200: jsonContent(usagePositionPage, "In the order of their positions"),
    ...errorResponses(400, 403, 404),
  },
});

const record = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/usage-survey/records",
  callers: surveyors,
  summary: "Record what a surveyor found at a drawn device, once",
  tags,
  request: { params: campaignParams, body: jsonBody(newUsageRecord) },
  responses: { 201: jsonContent(usagePosition, "The position with its record"), ...errorResponses(400, 403, 404, 409) },
});

const missing = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/usage-survey/missing",
  callers: surveyors,
  summary: "End a drawn device's position without a survey; it counts as not in use",
  tags,
  request: { params: campaignParams, body: jsonBody(newUsageMissing) },
  responses: { 201: jsonContent(usagePosition, "The position with its reason"), ...errorResponses(400, 403, 404, 409) },
});

/** The usage survey of a campaign's devices. */
export function usageSurveyRoutes(deps: CampaignDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(read, async (c) =>
      c.json(await getUsageSurvey(deps, requestContext(c), c.req.valid("param").campaignId), 200),
    )
    .openapi(list, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await listUsagePositions(deps, requestContext(c), campaignId, c.req.valid("query")), 200);
    })
    .openapi(record, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await recordUsage(deps, requestContext(c), campaignId, c.req.valid("json")), 201);
    })
    .openapi(missing, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await markUsageMissing(deps, requestContext(c), campaignId, c.req.valid("json")), 201);
    });
}
