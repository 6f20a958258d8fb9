import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { z } from "zod";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  jsonContent,
  onlyFor,
  requestContext,
} from "../../platform/http/index.ts";
import { isDid } from "../../platform/ucan/index.ts";
import { integer } from "../../platform/values/numbers.ts";
import { did } from "../../platform/values/text.ts";
import { campaignParams, WRITE_SCOPE } from "../campaigns/index.ts";
import type { KptServiceDeps } from "./deps.ts";
import { giveEvidenceToken } from "./evidence-token.ts";

const request = z
  .strictObject({
    audience: did
      .refine(isDid, { message: "A DID without path, query or fragment is expected.", params: { rule: "did" } })
      .optional()
      .openapi({ description: "DID that may use it; absent: a bearer token that anyone who holds it may use." }),
    seconds: integer(1, 86_400).optional().openapi({ description: "How long it is valid; default: an hour." }),
  })
  .openapi("EvidenceTokenRequest");

const evidenceToken = z
  .object({
    token: z.string().openapi({ description: "UCAN as base64url CAR." }),
    use: z.enum(["bearer", "delegation"]).openapi({
      description:
        "bearer: `Authorization: Bearer <token>` below /api/fs. delegation: a proof for tokens of its audience.",
    }),
    audience: z.string(),
    namespace: z.string().openapi({ description: "DID of the namespace that holds the files." }),
    path: z.string().openapi({ description: "Folder that may be read." }),
    expiresAt: z.iso.datetime(),
  })
  .openapi("EvidenceToken");

const give = createRoute({
  method: "post",
  path: "/campaigns/{campaignId}/evidence-token",
  callers: onlyFor(["evaluator", "regulator", "implementer"], WRITE_SCOPE),
  secrets: ["token"],
  tags: ["Campaigns"],
  summary: "Create a token to read the campaign's claims and evidence",
  description:
    "A read-only token for the campaign's folder in the file store: with it, `GET /api/fs/cid/{cid}` returns the files that the `ipfs://` links of its claims name. Needs admin, regulator, evaluator, or the campaign's implementer.",
  request: {
    params: campaignParams,
    body: { required: false, content: jsonContent(request) },
  },
  responses: {
    201: { description: "The token", content: jsonContent(evidenceToken) },
    ...errorResponses(400, 403, 404, 409),
  },
});

const defaultSeconds = 3600;

export function evidenceRoutes(deps: KptServiceDeps): OpenAPIHono<AppEnv> {
  return createRouter().openapi(give, async (c) => {
    const { audience, seconds = defaultSeconds } = c.req.valid("json");
    const { campaignId } = c.req.valid("param");
    c.header("Cache-Control", "no-store");
    return c.json(await giveEvidenceToken(deps, requestContext(c), { campaignId, audience, seconds }), 201);
  });
}
