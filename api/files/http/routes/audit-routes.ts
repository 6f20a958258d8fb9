import type { OpenAPIHono } from "@hono/zod-openapi";
import { listQuery } from "../../../platform/http/index.ts";
import { listEvents, listFileEvents } from "../../audit/list-events.ts";
import { type FileEnv, type FileRouteDeps, fileContext } from "../env.ts";
import { eventPage } from "../responses.ts";
import { fileRoute, fileRouter, respondsWith } from "../route.ts";
import { fileParams } from "../schemas.ts";

const ofFile = fileRoute({
  method: "get",
  path: "/files/{id}/events",
  summary: "List a file's audit events",
  request: { params: fileParams, query: listQuery },
  responses: respondsWith("One page, newest first", eventPage, 400, 403, 404),
});
const ofNamespace = fileRoute({
  method: "get",
  path: "/events",
  summary: "List the namespace's audit events (owner only)",
  request: { query: listQuery },
  responses: respondsWith("One page, newest first", eventPage, 400, 403),
});

/** The audit's events. */
export function auditRoutes(deps: FileRouteDeps): OpenAPIHono<FileEnv> {
  return fileRouter()
    .openapi(ofFile, async (c) => {
      const input = { ref: c.req.valid("param"), ...c.req.valid("query") };
      return c.json(await listFileEvents(fileContext(deps, c), input), 200);
    })
    .openapi(ofNamespace, async (c) => c.json(await listEvents(fileContext(deps, c), c.req.valid("query")), 200));
}
