import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { onlyFor } from "../../platform/http/callers.ts";
import { type AppEnv, serviceContext } from "../../platform/http/context.ts";
import { errorAnswers, jsonContent } from "../../platform/http/openapi.ts";
import { createRouter } from "../../platform/http/router.ts";
import { kptScopes } from "../kpt/access.ts";
import { fileKptClaim } from "../kpt/file-claim.ts";
import { getKptClaim, isKptClaimId } from "../kpt/service.ts";
import { approveClaim, disputeClaim, rejectClaim, resolveDispute } from "./actions.ts";
import { listClaims } from "./list.ts";
import {
  anyClaim,
  claim,
  claimPage,
  claimParams,
  claimQuery,
  claimRequest,
  claimResolution,
  claimReview,
} from "./schemas.ts";
import { fileClaim, getClaim } from "./service.ts";

const tags = ["Claims"];
const evaluators = onlyFor(["evaluator"]);
const answered = { description: "The claim", content: jsonContent(claim) };
const anyAnswered = { description: "The claim", content: jsonContent(anyClaim) };
/** A KPT claim may bring its evidence with it (api/scheme/kpt/evidence.ts). */
const claimBodyLimit = 12 * 1024 * 1024;

const file = createRoute({
  method: "post",
  path: "/claims",
  callers: onlyFor(["supplier", "implementer", "evaluator"], ...kptScopes),
  tags,
  summary: "File a delivery claim and be paid, or a KPT claim and have it verified",
  request: { body: { required: true, content: jsonContent(claimRequest) } },
  bodyLimit: claimBodyLimit,
  responses: { 201: anyAnswered, ...errorAnswers(400, 403, 404, 409, 503) },
});

const read = createRoute({
  method: "get",
  path: "/claims/{id}",
  tags,
  summary: "Read a claim",
  request: { params: claimParams },
  responses: { 200: anyAnswered, ...errorAnswers(404) },
});

const list = createRoute({
  method: "get",
  path: "/claims",
  tags,
  summary: "List claims",
  request: { query: claimQuery },
  responses: {
    200: { description: "One page, oldest first", content: jsonContent(claimPage) },
    ...errorAnswers(400, 403, 503),
  },
});

function review<P extends string>(path: P, summary: string) {
  const body = { required: true, content: jsonContent(claimReview) };
  const responses = { 200: answered, ...errorAnswers(400, 403, 404, 409) };
  return createRoute({
    method: "post",
    path,
    callers: evaluators,
    tags,
    summary,
    request: { params: claimParams, body },
    responses,
  });
}

const approve = review("/claims/{id}/approve", "Pay a claim that is held for review");
const reject = review("/claims/{id}/reject", "Reject a claim that is held for review");
const dispute = review("/claims/{id}/dispute", "Dispute a claim that has been paid");

const resolve = createRoute({
  method: "post",
  path: "/claims/{id}/resolve",
  callers: evaluators,
  tags,
  summary: "Adjudicate a dispute",
  request: { params: claimParams, body: { required: true, content: jsonContent(claimResolution) } },
  responses: { 200: answered, ...errorAnswers(400, 403, 404, 409) },
});

/** Delivery claims: file, read, review, dispute. */
export function claimRoutes(): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(file, async (c) => {
      const request = c.req.valid("json");
      const ctx = serviceContext(c);
      if (request.type === "KPTClaim") return c.json(await fileKptClaim(ctx, request), 201);
      return c.json(await fileClaim(ctx, request), 201);
    })
    .openapi(read, async (c) => {
      const { id } = c.req.valid("param");
      const ctx = serviceContext(c);
      return c.json(await (isKptClaimId(id) ? getKptClaim(ctx, id) : getClaim(ctx, id)), 200);
    })
    .openapi(list, async (c) => c.json(await listClaims(serviceContext(c), c.req.valid("query")), 200))
    .openapi(approve, async (c) => {
      return c.json(await approveClaim(serviceContext(c), c.req.valid("param").id, c.req.valid("json").reason), 200);
    })
    .openapi(reject, async (c) => {
      return c.json(await rejectClaim(serviceContext(c), c.req.valid("param").id, c.req.valid("json").reason), 200);
    })
    .openapi(dispute, async (c) => {
      return c.json(await disputeClaim(serviceContext(c), c.req.valid("param").id, c.req.valid("json").reason), 200);
    })
    .openapi(resolve, async (c) => {
      return c.json(await resolveDispute(serviceContext(c), c.req.valid("param").id, c.req.valid("json")), 200);
    });
}
