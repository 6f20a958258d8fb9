import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  limitAddress,
  onlyFor,
  requestContext,
} from "../../platform/http/index.ts";
import { jsonBody, jsonContent } from "../registry/index.ts";
import { campaignReaders, WRITE_SCOPE } from "./access.ts";
import type { CampaignDeps } from "./deps.ts";
import { drawDocumentOf } from "./draw/document.ts";
import { drawDocument } from "./draw/document-schema.ts";
import { drawCampaign } from "./draw/draw.ts";
import { joinDraw, repeatDraw, revealSecret } from "./draw/parties.ts";
import { markHouseholdMissing } from "./positions/missing.ts";
import { listPositions } from "./positions/positions.ts";
import { replaceHousehold } from "./positions/replacements.ts";
import { proposedSampleSize } from "./sampling/sample-size.ts";
import {
  campaign,
  campaignPage,
  campaignParams,
  campaignPositionPage,
  campaignPositionQuery,
  campaignQuery,
  drawSecret,
  missingPosition,
  newAbandonment,
  newAmendment,
  newCampaign,
  newDrawParty,
  newReplacement,
  replacement,
  sampleSizeQuery,
  sampleSizeResponse,
} from "./schemas.ts";
import { commitCampaign, getCampaign, listCampaigns } from "./service.ts";
import { abandonCampaign, amendCampaign } from "./terms/amendments.ts";

const MiB = 1024 * 1024;
const tags = ["Campaigns"];

const commit = createRoute({
  method: "post",
  path: "/campaigns",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "Commit a campaign: its frames are stored and their Merkle roots written on chain before the draw",
  tags,
  bodyLimit: 32 * MiB,
  request: { body: jsonBody(newCampaign) },
  responses: { 201: jsonContent(campaign, "The campaign, committed"), ...errorResponses(400, 403, 409, 413) },
});

const list = createRoute({
  method: "get",
  path: "/campaigns",
  callers: campaignReaders,
  summary: "List campaigns",
  tags,
  request: { query: campaignQuery },
  responses: {
    200: jsonContent(campaignPage, "Campaigns in the order of their commits"),
    ...errorResponses(400, 403, 404),
  },
});

const sampleSize = createRoute({
  method: "get",
  path: "/campaigns/sample-size",
  callers: everyKey,
  summary: "Propose a sample size",
  description: "n ≥ z²·N·V ÷ ((N − 1)·p² + z²·V), V = CV², z = 1.645; never more than the population N.",
  tags,
  request: { query: sampleSizeQuery },
  responses: { 200: jsonContent(sampleSizeResponse, "Households to draw"), ...errorResponses(400) },
});

const getOne = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}",
  callers: campaignReaders,
  summary: "Read a campaign with its samples, progress and replacements",
  tags,
  request: { params: campaignParams },
  responses: { 200: jsonContent(campaign, "The campaign as the chain has it now"), ...errorResponses(403, 404) },
});

const draw = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/draw",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "Open the draw with this service's secret, and reveal it after the draw block",
  description:
    "Waits for the draw block, up to TX_WAIT_MS. Without a second party the samples are drawn then, but no certificate can be made from the result. With one, they are drawn when it has revealed its secret; until then the status stays `committed`.",
  tags,
  request: { params: campaignParams },
  responses: { 200: jsonContent(campaign, "The campaign, drawn"), ...errorResponses(400, 403, 404, 409) },
});

const join = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/draw/party",
  callers: onlyFor(["regulator", "evaluator", "implementer"], WRITE_SCOPE),
  summary: "Join a draw as its second party, by a signed commitment to a secret",
  description:
    "Before POST /v1/campaigns/{campaignId}/draw. The account is a registrar's, an evaluator's or the guardian's, and none of this service's.",
  tags,
  request: { params: campaignParams, body: jsonBody(newDrawParty) },
  responses: { 201: jsonContent(campaign, "The campaign with its parties"), ...errorResponses(400, 403, 404, 409) },
});

const reveal = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/draw/secret",
  callers: onlyFor(["regulator", "evaluator", "implementer"], WRITE_SCOPE),
  summary: "Reveal a party's secret after the draw block; the last one draws the samples",
  description: "Waits for the draw block, up to TX_WAIT_MS. The secret is public from then on.",
  tags,
  request: { params: campaignParams, body: jsonBody(drawSecret) },
  responses: {
    200: jsonContent(campaign, "The campaign, drawn if this was the last secret"),
    ...errorResponses(400, 403, 404, 409),
  },
});

const repeat = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/draw/repetition",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "Repeat a draw in which a secret was not revealed within a day; names its party on chain",
  tags,
  request: { params: campaignParams },
  responses: {
    201: jsonContent(campaign, "The campaign, to be drawn again"),
    ...errorResponses(400, 403, 404, 409),
  },
});

const readDraw = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/draw",
  summary: "Read what anyone needs to draw the samples again",
  description:
    "Public, without a key, and without any DID: `npm run verify-draw -- <campaignId>` compares it with the chain.",
  tags,
  security: [],
  middleware: [limitAddress()] as const,
  request: { params: campaignParams },
  responses: { 200: jsonContent(drawDocument, "Frames, commit, draw and replacements"), ...errorResponses(404) },
});

const amend = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/amendments",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "Replace terms of a campaign before its draw: a new version on chain, with its reason",
  tags,
  request: { params: campaignParams, body: jsonBody(newAmendment) },
  responses: { 201: jsonContent(campaign, "The campaign, amended"), ...errorResponses(400, 403, 404, 409) },
});

const abandon = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/abandonment",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "Give up a campaign for ever; later campaigns with the same households name it",
  tags,
  request: { params: campaignParams, body: jsonBody(newAbandonment) },
  responses: { 201: jsonContent(campaign, "The campaign, abandoned"), ...errorResponses(400, 403, 404, 409) },
});

const markMissing = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/missing",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "End a drawn household's position as missing: neither measured nor replaced",
  tags,
  request: { params: campaignParams, body: jsonBody(newReplacement) },
  responses: { 201: jsonContent(missingPosition, "Who is missing, and why"), ...errorResponses(400, 403, 404, 409) },
});

const positions = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/positions",
  callers: campaignReaders,
  summary: "List the drawn positions of a campaign with how each ended; none before the draw",
  tags,
  request: { params: campaignParams, query: campaignPositionQuery },
  responses: {
    200: jsonContent(campaignPositionPage, "The reference group first, in the order of the draw"),
    ...errorResponses(400, 403, 404),
  },
});

const replace = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/replacements",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "Drop a household from a sample and take the next one of the draw",
  tags,
  request: { params: campaignParams, body: jsonBody(newReplacement) },
  responses: {
    201: jsonContent(replacement, "Who left and who came"),
    ...errorResponses(400, 403, 404, 409),
  },
});

export function campaignRoutes(deps: CampaignDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(commit, async (c) => c.json(await commitCampaign(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listCampaigns(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(sampleSize, (c) => c.json(proposedSampleSize(c.req.valid("query")), 200))
    .openapi(getOne, async (c) =>
      c.json(await getCampaign(deps, requestContext(c), c.req.valid("param").campaignId), 200),
    )
    .openapi(readDraw, async (c) => c.json(await drawDocumentOf(deps, c.req.valid("param").campaignId), 200))
    .openapi(draw, async (c) =>
      c.json(await drawCampaign(deps, requestContext(c), c.req.valid("param").campaignId), 200),
    )
    .openapi(join, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await joinDraw(deps, requestContext(c), campaignId, c.req.valid("json")), 201);
    })
    .openapi(reveal, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await revealSecret(deps, requestContext(c), campaignId, c.req.valid("json")), 200);
    })
    .openapi(repeat, async (c) =>
      c.json(await repeatDraw(deps, requestContext(c), c.req.valid("param").campaignId), 201),
    )
    .openapi(amend, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await amendCampaign(deps, requestContext(c), campaignId, c.req.valid("json")), 201);
    })
    .openapi(abandon, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await abandonCampaign(deps, requestContext(c), campaignId, c.req.valid("json")), 201);
    })
    .openapi(positions, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await listPositions(deps, requestContext(c), campaignId, c.req.valid("query")), 200);
    })
    .openapi(markMissing, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await markHouseholdMissing(deps, requestContext(c), campaignId, c.req.valid("json")), 201);
    })
    .openapi(replace, async (c) => {
      const { campaignId } = c.req.valid("param");
      return c.json(await replaceHousehold(deps, requestContext(c), campaignId, c.req.valid("json")), 201);
    });
}
