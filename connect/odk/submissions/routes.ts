import { createRoute } from "@hono/zod-openapi";
import {
  type App,
  createRouter,
  errorResponses,
  jsonContent,
  onlyFor,
  requestContext,
} from "../../../api/platform/http/index.ts";
import type { OdkDeps } from "../deps.ts";
import {
  deletion,
  submission,
  submissionDetail,
  submissionPage,
  submissionParams,
  submissionQuery,
} from "./schemas.ts";
import { deleteSubmission, listSubmissions, readSubmission } from "./service.ts";

const tags = ["Field collection"];

const list = createRoute({
  method: "get",
  path: "/odk/submissions",
  callers: onlyFor(["implementer", "evaluator", "regulator"]),
  tags,
  summary: "List records that phones sent, with the rules that refused them",
  request: { query: submissionQuery },
  responses: {
    200: { description: "One page, newest first", content: jsonContent(submissionPage) },
    ...errorResponses(400, 403),
  },
});

const read = createRoute({
  method: "get",
  path: "/odk/submissions/{id}",
  callers: onlyFor(["implementer", "evaluator", "regulator"]),
  tags,
  summary: "Read a record with its answers",
  request: { params: submissionParams },
  responses: {
    200: { description: "The record", content: jsonContent(submissionDetail) },
    ...errorResponses(403, 404),
  },
});

const remove = createRoute({
  method: "post",
  path: "/odk/submissions/{id}/delete",
  callers: onlyFor(["implementer"]),
  tags,
  summary: "Delete a record that nothing was made of",
  request: { params: submissionParams, body: { required: true, content: jsonContent(deletion) } },
  responses: {
    200: { description: "The deleted record", content: jsonContent(submission) },
    ...errorResponses(400, 403, 404, 409),
  },
});

/** Create the routes of records: list, read, delete. */
export function submissionRoutes(deps: OdkDeps): App {
  return createRouter()
    .openapi(list, async (c) => c.json(await listSubmissions(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(read, async (c) => c.json(await readSubmission(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(remove, async (c) =>
      c.json(await deleteSubmission(deps, requestContext(c), c.req.valid("param").id, c.req.valid("json")), 200),
    );
}
