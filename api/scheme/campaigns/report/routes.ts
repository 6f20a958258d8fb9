import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { create as contentDisposition } from "content-disposition";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  onlyFor,
  requestContext,
  streamResponse,
} from "../../../platform/http/index.ts";
import { openDataRoom, requireClosedCampaign, zipDataRoom } from "../dataroom/data-room.ts";
import type { CampaignDeps } from "../deps.ts";
import { campaignParams } from "../schemas.ts";
import { guardianReport } from "./guardian.ts";
import { monitoringReport } from "./service.ts";

const download = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/data-room",
  callers: onlyFor(["regulator", "evaluator", "implementer"]),
  tags: ["Campaigns"],
  summary: "Download everything that a closed campaign's result follows from, as a ZIP",
  description:
    "Claims, credentials, evidence, draw, terms, devices, parameters and result, with a signed manifest of their SHA-256. `npm run repeat -- data-room.zip` repeats the result from it without this service. The same state gives the same bytes.",
  request: { params: campaignParams },
  responses: {
    200: {
      description: "The data room",
      content: { "application/zip": { schema: { type: "string", format: "binary" } } },
    },
    ...errorResponses(403, 404, 409),
  },
});

const report = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/monitoring-report",
  callers: onlyFor(["regulator", "evaluator", "implementer"]),
  tags: ["Campaigns"],
  summary: "Read a closed campaign's monitoring report as PDF",
  description:
    "It contains the hash of the data room, from which the result can be repeated. The same state gives the same bytes.",
  request: { params: campaignParams },
  responses: {
    200: {
      description: "The report",
      content: { "application/pdf": { schema: { type: "string", format: "binary" } } },
    },
    ...errorResponses(403, 404, 409),
  },
});

const guardian = createRoute({
  method: "get",
  path: "/campaigns/{campaignId}/monitoring-report/guardian",
  callers: onlyFor(["regulator", "evaluator", "implementer"]),
  tags: ["Campaigns"],
  summary: "Read a closed campaign's monitoring report as a verifiable credential for Guardian",
  description:
    "With the fields of the cookstove policies of Guardian. The proof is a VC-JWT of this service. The same state gives the same credential.",
  request: { params: campaignParams },
  responses: {
    200: {
      description: "The credential",
      content: { "application/vc+ld+json": { schema: z.record(z.string(), z.unknown()).openapi("GuardianReport") } },
    },
    ...errorResponses(403, 404, 409),
  },
});

/** Routes of the data room and the monitoring report. */
export function dataRoomRoutes(deps: CampaignDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(report, async (c) => {
      const { campaignId } = c.req.valid("param");
      const { bytes, dataRoomHash } = await monitoringReport(deps, requestContext(c), campaignId);
      const headers = {
        "Content-Type": "application/pdf",
        "Content-Disposition": contentDisposition(`${campaignId} monitoring report.pdf`, { type: "inline" }),
        "Data-Room-Hash": dataRoomHash,
      };
      return c.body(new Uint8Array(bytes), 200, headers) as never;
    })
    .openapi(guardian, async (c) => {
      const { campaignId } = c.req.valid("param");
      const credential = await guardianReport(deps, requestContext(c), campaignId);
      const headers = {
        "Content-Type": "application/vc+ld+json",
        "Content-Disposition": contentDisposition(`${campaignId} monitoring report.jsonld`, { type: "attachment" }),
      };
      return c.body(JSON.stringify(credential), 200, headers) as never;
    })
    .openapi(download, async (c) => {
      const { campaignId } = c.req.valid("param");
      const room = await openDataRoom(deps, await requireClosedCampaign(deps, requestContext(c), campaignId));
      const headers = {
        "Content-Type": "application/zip",
        "Content-Disposition": contentDisposition(`${campaignId} data room.zip`, { type: "attachment" }),
        "Data-Room-Hash": room.hash,
      };
      if (c.req.method === "HEAD") return c.body(null, 200, headers) as never;
      return (await streamResponse(c, zipDataRoom(deps, room), { status: 200, headers, log: deps.log })) as never;
    });
}
