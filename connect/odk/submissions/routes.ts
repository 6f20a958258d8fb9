import { Readable } from "node:stream";
import { createRoute, z } from "@hono/zod-openapi";
import {
  type App,
  createRouter,
  errorResponses,
  jsonContent,
  limitTogether,
  onlyFor,
  requestContext,
} from "../../../api/platform/http/index.ts";
import { mostFileBytes } from "../../records/photo.ts";
import type { OdkDeps } from "../deps.ts";
import { correctSubmission } from "./correct.ts";
import { storePhoto } from "./new-photos.ts";
import {
  correction,
  deletion,
  fileParams,
  progressPage,
  progressQuery,
  storedPhoto,
  submission,
  submissionDetail,
  submissionPage,
  submissionParams,
  submissionQuery,
} from "./schemas.ts";
import { deleteSubmission, listProgress, listSubmissions, openSubmissionFile, readSubmission } from "./service.ts";

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

const progress = createRoute({
  method: "get",
  path: "/odk/progress",
  callers: onlyFor(["implementer", "evaluator", "regulator"]),
  tags,
  summary: "Count records by person and region",
  request: { query: progressQuery },
  responses: {
    200: { description: "One page, by person", content: jsonContent(progressPage) },
    ...errorResponses(400, 403),
  },
});

const readFile = createRoute({
  method: "get",
  path: "/odk/submissions/{id}/files/{name}",
  callers: onlyFor(["implementer", "evaluator", "regulator"]),
  tags,
  summary: "Read a photo or another file of a record",
  request: { params: fileParams },
  responses: {
    200: {
      description: "The file; what is not a photo comes as application/octet-stream",
      content: { "*/*": { schema: { type: "string", format: "binary" } } },
    },
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

const correct = createRoute({
  method: "post",
  path: "/odk/submissions/{id}/correction",
  callers: onlyFor(["implementer"]),
  tags,
  summary: "Correct a refused record, and write it by the same rules",
  description:
    "The correction is a record that takes the place of the refused one, which stays readable. Check its `status`: it may be refused again.",
  request: { params: submissionParams, body: { required: true, content: jsonContent(correction) } },
  responses: {
    200: { description: "The correction", content: jsonContent(submission) },
    ...errorResponses(400, 403, 404, 409, 503),
  },
});

/** Photos that a caller may send at the same time: each is held in memory. */
const mostTogether = 4;

const addPhoto = createRoute({
  method: "post",
  path: "/odk/submissions/{id}/correction/files",
  callers: onlyFor(["implementer"]),
  tags,
  summary: "Store a photo for the correction of a refused record",
  description:
    "The photo is stored encrypted, like one that a phone sent, and replaces nothing. `files` of the correction names it by its `sha256`. The same photo again is the same one.",
  bodyLimit: mostFileBytes,
  middleware: limitTogether(mostTogether, "photos of this key"),
  request: {
    params: submissionParams,
    body: {
      required: true,
      content: { "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) } },
    },
  },
  responses: {
    201: { description: "The stored photo", content: jsonContent(storedPhoto) },
    ...errorResponses(400, 403, 404, 409, 413, 429),
  },
});

/** Create the routes of records: list, read, correct, delete. */
export function submissionRoutes(deps: OdkDeps): App {
  return createRouter()
    .openapi(list, async (c) => c.json(await listSubmissions(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(read, async (c) => c.json(await readSubmission(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(progress, async (c) => c.json(await listProgress(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(readFile, async (c) => {
      const { mimeType, size, stream } = await openSubmissionFile(deps, requestContext(c), c.req.valid("param"));
      // Phones name the type of other files themselves, so a browser must not show them.
      const shown = mimeType.startsWith("image/");
      return c.body(Readable.toWeb(Readable.from(stream)) as ReadableStream, 200, {
        "Content-Type": shown ? mimeType : "application/octet-stream",
        "Content-Length": String(size),
        "Content-Disposition": shown ? "inline" : "attachment",
        "Content-Security-Policy": "sandbox",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-store",
      });
    })
    .openapi(correct, async (c) =>
      c.json(await correctSubmission(deps, requestContext(c), c.req.valid("param").id, c.req.valid("json")), 200),
    )
    .openapi(addPhoto, async (c) => {
      const bytes = c.var.bodyBytes ?? new Uint8Array();
      return c.json(await storePhoto(deps, requestContext(c), c.req.valid("param").id, bytes), 201);
    })
    .openapi(remove, async (c) =>
      c.json(await deleteSubmission(deps, requestContext(c), c.req.valid("param").id, c.req.valid("json")), 200),
    );
}
