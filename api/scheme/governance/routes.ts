import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, limitAddress } from "../../platform/http/index.ts";
import { jsonBody, jsonContent } from "../registry/index.ts";
import { proposalRequest } from "./action-schemas.ts";
import type { GovernanceDeps } from "./deps.ts";
import { cancelProposal, pausePool } from "./guardian.ts";
import { getProposal, listProposals, readCouncil } from "./read.ts";
import {
  approvalRequest,
  cancellation,
  cancelRequest,
  councilNow,
  pauseRequest,
  pauseResponse,
  proposal,
  proposalPage,
  proposalParams,
  proposalQuery,
  toSign,
} from "./schemas.ts";
import { approve, execute, propose } from "./service.ts";

const open = { tags: ["Council"], security: [], middleware: [limitAddress()] };

const list = createRoute({
  ...open,
  method: "get",
  path: "/pool/proposals",
  summary: "List the proposals to the council and their status",
  description: "Public. Operations that were scheduled on chain without this service appear too.",
  request: { query: proposalQuery },
  responses: { 200: jsonContent(proposalPage, "Proposals, newest first"), ...errorResponses(400) },
});

const read = createRoute({
  ...open,
  method: "get",
  path: "/pool/proposals/{id}",
  summary: "Read a proposal, in words",
  request: { params: proposalParams },
  responses: { 200: jsonContent(proposal, "The proposal as it is on the chain now"), ...errorResponses(400, 404) },
});

const create = createRoute({
  ...open,
  method: "post",
  path: "/pool/proposals",
  summary: "Propose to the council, or get what to sign",
  description:
    "Needs no key, but a member's signatures. Without them the response is what to sign; then send the same again with " +
    "`signature` and `statementSignature`.",
  request: { body: jsonBody(proposalRequest) },
  responses: {
    200: jsonContent(toSign, "What to sign"),
    201: jsonContent(proposal, "The proposal, with its proposer's approval"),
    ...errorResponses(400, 403, 409, 503),
  },
});

const approvals = createRoute({
  ...open,
  method: "post",
  path: "/pool/proposals/{id}/approvals",
  summary: "Approve a proposal by a member's own signatures, or get what to sign",
  description:
    "The approval that completes the quorum sends the proposal to the chain immediately, if it is the proposal's turn.",
  request: { params: proposalParams, body: jsonBody(approvalRequest) },
  responses: {
    200: jsonContent(toSign, "What to sign"),
    201: jsonContent(proposal, "The proposal with the approval"),
    ...errorResponses(400, 403, 404, 409, 503),
  },
});

const executeRoute = createRoute({
  ...open,
  method: "post",
  path: "/pool/proposals/{id}/execute",
  summary: "Execute a scheduled operation whose delay is over",
  description: "Anyone may: the council has decided. The relayer pays.",
  request: { params: proposalParams },
  responses: { 200: jsonContent(proposal, "The proposal, executed"), ...errorResponses(400, 404, 409, 503) },
});

const cancel = createRoute({
  ...open,
  method: "post",
  path: "/pool/proposals/{id}/cancel",
  summary: "Cancel a proposal, or get what to sign",
  description:
    "The guardian signs a transaction (`signedTransaction`), which takes effect immediately; a member starts or approves a decision " +
    "of the council; before it is scheduled, its proposer signs a withdrawal (`signature`).",
  request: { params: proposalParams, body: jsonBody(cancelRequest) },
  responses: {
    200: jsonContent(cancellation, "What to sign, or the proposal"),
    ...errorResponses(400, 403, 404, 409, 503),
  },
});

const council = createRoute({
  ...open,
  method: "get",
  path: "/pool/council",
  summary: "Read the council, and all that it may change, from the chain",
  description: "Whole numbers as decimal text, in base units. Descriptions of decisions are built from it.",
  responses: { 200: jsonContent(councilNow, "Members, threshold, delay, price, fee, caps, …"), ...errorResponses(503) },
});

const pause = createRoute({
  ...open,
  method: "post",
  path: "/pool/pause",
  summary: "Pause the pool immediately by the guardian's transaction, or get it to sign",
  request: { body: jsonBody(pauseRequest) },
  responses: {
    200: jsonContent(pauseResponse, "The transaction to sign, or its block"),
    ...errorResponses(400, 403, 409, 503),
  },
});

/** Routes of the council's decisions. Their natural keys (operation id, signer and number) make repetition harmless. */
export function governanceRoutes(deps: GovernanceDeps): OpenAPIHono<AppEnv> {
  return createRouter({ idempotent: false })
    .openapi(list, async (c) => c.json(await listProposals(deps, c.req.valid("query")), 200))
    .openapi(read, async (c) => c.json(await getProposal(deps, c.req.valid("param").id), 200))
    .openapi(create, async (c) => {
      const { created, body } = await propose(deps, c.req.valid("json"));
      return created ? c.json(body as never, 201) : c.json(body as never, 200);
    })
    .openapi(approvals, async (c) => {
      const { created, body } = await approve(deps, c.req.valid("param").id, c.req.valid("json"));
      return created ? c.json(body as never, 201) : c.json(body as never, 200);
    })
    .openapi(executeRoute, async (c) => c.json(await execute(deps, c.req.valid("param").id), 200))
    .openapi(cancel, async (c) => {
      const { id } = c.req.valid("param");
      return c.json((await cancelProposal(deps, id, c.req.valid("json"))) as never, 200);
    })
    .openapi(council, async (c) => c.json(await readCouncil(deps), 200))
    .openapi(pause, async (c) => c.json(await pausePool(deps, c.req.valid("json")), 200));
}
