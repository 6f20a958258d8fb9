import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, onlyFor, requestContext } from "../../../platform/http/index.ts";
import { jsonBody, jsonContent } from "../../registry/index.ts";
import type { CampaignDeps } from "../deps.ts";
import { campaignParams } from "../schemas.ts";
import { finding, findingParams, newFinding, newReply, newVerification, verification } from "./schemas.ts";
import { addVerification, answerFinding, closeFinding, getVerification, openFinding } from "./service.ts";

const tags = ["Campaigns"];

const read = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/findings",
  callers: onlyFor(["regulator", "evaluator", "implementer"]),
  tags,
  summary: "Read the findings and signed verifications of a campaign, and their hash-chained log",
  request: { params: campaignParams },
  responses: { 200: jsonContent(verification, "The verification so far"), ...errorResponses(403, 404) },
});

const open = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/findings",
  callers: onlyFor(["evaluator"]),
  tags,
  summary: "Open a finding: CAR, CL or FAR",
  description: "The campaign's result cannot be certified while a CAR or CL is not closed.",
  request: { params: campaignParams, body: jsonBody(newFinding) },
  responses: { 201: jsonContent(finding, "The finding, open"), ...errorResponses(400, 403, 404, 409) },
});

const answer = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/findings/{number}/answers",
  callers: onlyFor(["implementer"]),
  tags,
  summary: "Answer a finding as the campaign's implementer",
  request: { params: findingParams, body: jsonBody(newReply) },
  responses: { 201: jsonContent(finding, "The finding, answered"), ...errorResponses(400, 403, 404, 409) },
});

const close = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/findings/{number}/closure",
  callers: onlyFor(["evaluator", "regulator"]),
  tags,
  summary: "Close an answered finding permanently",
  description:
    "Only the verifier who opened it (the same key, or a key with one of its DIDs) closes it, or the regulator, whose text is the reason.",
  request: { params: findingParams, body: jsonBody(newReply) },
  responses: { 201: jsonContent(finding, "The finding, closed"), ...errorResponses(400, 403, 404, 409) },
});

const verify = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/verifications",
  callers: onlyFor(["evaluator", "regulator"]),
  tags,
  summary: "Store a trusted issuer's signature of the data room",
  request: { params: campaignParams, body: jsonBody(newVerification) },
  responses: { 201: jsonContent(verification, "The verification so far"), ...errorResponses(400, 403, 404, 409) },
});

/** Findings of verifiers, and their signatures of the data room. */
export function findingRoutes(deps: CampaignDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(read, async (c) =>
      c.json(await getVerification(deps, requestContext(c), c.req.valid("param").campaignId), 200),
    )
    .openapi(open, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await openFinding(deps, requestContext(c), campaignId, c.req.valid("json")), 201);
    })
    .openapi(answer, async (c) =>
      c.json(await answerFinding(deps, requestContext(c), c.req.valid("param"), c.req.valid("json")), 201),
    )
    .openapi(close, async (c) =>
      c.json(await closeFinding(deps, requestContext(c), c.req.valid("param"), c.req.valid("json")), 201),
    )
    .openapi(verify, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await addVerification(deps, requestContext(c), campaignId, c.req.valid("json")), 201);
    });
}
