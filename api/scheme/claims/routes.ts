import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyRole,
  jsonContent,
  onlyFor,
  requestContext,
} from "../../platform/http/index.ts";
import { approveClaim, disputeClaim, rejectClaim, resolveDispute } from "./actions.ts";
import type { ClaimDeps } from "./deps.ts";
import type { ClaimKind } from "./kinds.ts";
import { listClaims } from "./list.ts";
import {
  claim,
  claimPage,
  claimParams,
  claimQuery,
  claimResolution,
  claimReview,
  type DeliveryClaimRequest,
  deliveryClaimRequest,
} from "./schemas.ts";
import { CLAIM_SCOPE, fileClaim, getClaim } from "./service.ts";

const tags = ["Claims"];
const evaluators = onlyFor(["evaluator"]);
const answered = { description: "The claim", content: jsonContent(claim) };
/** A KPT claim may include its evidence. In bytes. */
const claimBodyLimit = 12 * 1024 * 1024;

const list = createRoute({
  method: "get",
  path: "/claims",
  callers: everyRole(CLAIM_SCOPE),
  tags,
  summary: "List claims",
  request: { query: claimQuery },
  responses: {
    200: { description: "One page, oldest first", content: jsonContent(claimPage) },
    ...errorResponses(400, 403, 503),
  },
});

function review<P extends string>(path: P, summary: string) {
  const body = { required: true, content: jsonContent(claimReview) };
  const responses = { 200: answered, ...errorResponses(400, 403, 404, 409) };
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
  responses: { 200: answered, ...errorResponses(400, 403, 404, 409) },
});

/**
 * Routes to file and read a claim of any kind. The request's `type` selects the kind; without it the claim is a
 * delivery claim.
 */
function routesOfAnyKind(kinds: readonly ClaimKind[]) {
  const requests = z.discriminatedUnion("type", [deliveryClaimRequest, ...kinds.map(({ request }) => request)]);
  const answers = z.union([claim, ...kinds.map(({ answer }) => answer)]);
  const anyAnswered = { description: "The claim", content: jsonContent(answers) };
  const scopes = kinds.flatMap((kind) => kind.scopes);
  const readScopes = kinds.flatMap((kind) => kind.readScopes);
  const file = createRoute({
    method: "post",
    path: "/claims",
    callers: onlyFor(["supplier", "implementer", "evaluator"], ...scopes),
    tags,
    summary: "File a delivery claim and be paid, or a KPT claim and have it verified",
    request: { body: { required: true, content: jsonContent(requests) } },
    bodyLimit: claimBodyLimit,
    responses: { 201: anyAnswered, ...errorResponses(400, 403, 404, 409, 503) },
  });
  const read = createRoute({
    method: "get",
    path: "/claims/{id}",
    callers: everyRole(CLAIM_SCOPE, ...readScopes),
    tags,
    summary: "Read a claim",
    request: { params: claimParams },
    responses: { 200: anyAnswered, ...errorResponses(403, 404) },
  });
  return { file, read };
}

/** Routes to file, read, review and dispute claims. `kinds`: the kinds other than delivery claims. */
export function claimRoutes(deps: ClaimDeps, kinds: readonly ClaimKind[]): OpenAPIHono<AppEnv> {
  const { file, read } = routesOfAnyKind(kinds);
  return createRouter()
    .openapi(file, async (c) => {
      const request = c.req.valid("json");
      const ctx = requestContext(c);
      const kind = kinds.find((each) => each.request.shape.type.value === request.type);
      const filed = kind?.file(ctx, request as never) ?? fileClaim(deps, ctx, request as DeliveryClaimRequest);
      return c.json((await filed) as never, 201);
    })
    .openapi(read, async (c) => {
      const { id } = c.req.valid("param");
      const ctx = requestContext(c);
      const kind = kinds.find((each) => each.hasId(id));
      return c.json((await (kind?.read(ctx, id) ?? getClaim(deps, ctx, id))) as never, 200);
    })
    .openapi(list, async (c) => c.json(await listClaims(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(approve, async (c) => {
      return c.json(
        await approveClaim(deps, requestContext(c), c.req.valid("param").id, c.req.valid("json").reason),
        200,
      );
    })
    .openapi(reject, async (c) => {
      return c.json(
        await rejectClaim(deps, requestContext(c), c.req.valid("param").id, c.req.valid("json").reason),
        200,
      );
    })
    .openapi(dispute, async (c) => {
      return c.json(
        await disputeClaim(deps, requestContext(c), c.req.valid("param").id, c.req.valid("json").reason),
        200,
      );
    })
    .openapi(resolve, async (c) => {
      return c.json(await resolveDispute(deps, requestContext(c), c.req.valid("param").id, c.req.valid("json")), 200);
    });
}
