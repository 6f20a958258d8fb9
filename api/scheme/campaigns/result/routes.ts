import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { create as contentDisposition } from "content-disposition";
import { type AppEnv, createRouter, errorResponses, onlyFor, requestContext } from "../../../platform/http/index.ts";
import { accepted, jsonBody, jsonContent, respondAccepted } from "../../registry/index.ts";
import { campaignReaders, WRITE_SCOPE } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import { campaignParams } from "../schemas.ts";
import { getCertifiability } from "./certificate/certifiability.ts";
import { certifyCampaign } from "./certificate/certificate.ts";
import { closeCampaign } from "./close.ts";
import {
  campaignCertificate,
  campaignResultResponse,
  certifiabilityResponse,
  certificateRequest,
  closeRequest,
  resultQuery,
} from "./schemas.ts";
import { getResult, getResultCsv, getResultPlot } from "./service.ts";

const MiB = 1024 * 1024;
const tags = ["Campaigns"];

const read = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/result",
  callers: campaignReaders,
  summary: "Read a campaign's result: both groups, the saving, the emission reduction by each method",
  description: "Of an open campaign: what its claims tell so far. Of a closed one: the result whose hash is on chain.",
  tags,
  request: { params: campaignParams, query: resultQuery },
  responses: {
    200: {
      description: "The result",
      content: { "application/json": { schema: campaignResultResponse }, "text/csv": { schema: z.string() } },
    },
    ...errorResponses(400, 403, 404),
  },
});

const plot = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/result.svg",
  callers: campaignReaders,
  summary: "See a campaign's result: both groups' distributions, quartiles, means with their bounds, outliers",
  tags,
  request: { params: campaignParams },
  responses: {
    200: { description: "The picture", content: { "image/svg+xml": { schema: z.string() } } },
    ...errorResponses(403, 404),
  },
});

const certifiability = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/certifiability",
  callers: onlyFor(["regulator", "evaluator", "implementer"]),
  summary: "Read for which reduction a certificate of a campaign can be made, or every reason why none can",
  tags,
  request: { params: campaignParams },
  responses: { 200: jsonContent(certifiabilityResponse, "The reduction, or the reasons"), ...errorResponses(403, 404) },
});

const close = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/close",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "Close a campaign: its result is kept, its hash written on chain, and no claim is taken any more",
  tags,
  request: { params: campaignParams, body: { ...jsonBody(closeRequest), required: false } },
  responses: { 200: jsonContent(campaignResultResponse, "The final result"), ...errorResponses(400, 403, 404, 409) },
});

const certify = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/certificate",
  callers: onlyFor(["regulator"]),
  summary: "Make the emission-reduction certificate of a closed campaign's result",
  description: "An allocation that does not fit into one transaction is recorded by an operation (202).",
  tags,
  bodyLimit: 32 * MiB,
  request: { params: campaignParams, body: jsonBody(certificateRequest) },
  responses: {
    201: jsonContent(campaignCertificate, "The certificate, valid and linked to the campaign"),
    202: accepted,
    ...errorResponses(400, 403, 404, 409, 413),
  },
});

/** What markup in a picture may do when a browser opens it by itself: show its own styles. */
const pictureHeaders = {
  "Content-Type": "image/svg+xml; charset=utf-8",
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
};

const tableHeaders = (campaignId: string) => ({
  "Content-Type": "text/csv; charset=utf-8",
  "Content-Disposition": contentDisposition(`${campaignId} result.csv`, { type: "attachment" }),
});

/** Results of campaigns, and what is made of them. */
export function campaignResultRoutes(deps: CampaignDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(read, async (c) => {
      const { campaignId } = c.req.valid("param");
      if (c.req.valid("query").format === "json")
        return c.json(await getResult(deps, requestContext(c), campaignId), 200);
      const csv = await getResultCsv(deps, requestContext(c), campaignId);
      return c.body(csv, 200, tableHeaders(campaignId)) as never;
    })
    .openapi(plot, async (c) => {
      const svg = await getResultPlot(deps, requestContext(c), c.req.valid("param").campaignId);
      return c.body(svg, 200, pictureHeaders) as never;
    })
    .openapi(certifiability, async (c) =>
      c.json(await getCertifiability(deps, requestContext(c), c.req.valid("param").campaignId), 200),
    )
    .openapi(close, async (c) =>
      c.json(await closeCampaign(deps, requestContext(c), c.req.valid("param").campaignId, c.req.valid("json")), 200),
    )
    .openapi(certify, async (c) => {
      const { campaignId } = c.req.valid("param");
      const outcome = await certifyCampaign(deps, requestContext(c), campaignId, c.req.valid("json"));
      return "certificate" in outcome ? c.json(outcome.certificate, 201) : respondAccepted(c, outcome.operation);
    });
}
