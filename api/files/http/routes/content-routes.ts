import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { errorResponses } from "../../../platform/http/index.ts";
import { listCids } from "../../read/list-cids.ts";
import { openCid } from "../../read/open-cid.ts";
import { type OpenedContent, openContent } from "../../read/open-content.ts";
import { readLines } from "../../read/read-lines.ts";
import { type FileEnv, type FileRouteDeps, fileContext } from "../env.ts";
import { cidPage, textLines } from "../responses.ts";
import { fileRoute, fileRouter, rawResponse, respondsWith } from "../route.ts";
import { cidParams, fileParams, fileQuery, linesQuery, pathListQuery, versionParams } from "../schemas.ts";
import { serveContent } from "../serve-content.ts";

const served = {
  200: rawResponse("The bytes"),
  206: rawResponse("The requested range"),
  304: { description: "Unchanged: the bytes have a tag of If-None-Match" },
  ...errorResponses(400, 403, 404, 412, 416),
};
const description = "Takes `Range`, `If-Range`, `If-None-Match` and HEAD.";

const byId = fileRoute({
  method: "get",
  path: "/files/{id}/content",
  summary: "Download a file",
  description,
  request: { params: fileParams },
  responses: served,
});
const byPath = fileRoute({
  method: "get",
  path: "/content",
  summary: "Download the file at a path",
  description,
  request: { query: fileQuery },
  responses: served,
});
const byVersion = fileRoute({
  method: "get",
  path: "/files/{id}/versions/{version}/content",
  summary: "Download a retained version",
  description,
  request: { params: versionParams },
  responses: served,
});
const byCid = fileRoute({
  method: "get",
  path: "/cid/{cid}",
  summary: "Download by CID: heads first, then history",
  description,
  request: { params: cidParams },
  responses: served,
});

const cids = fileRoute({
  method: "get",
  path: "/cids",
  summary: "List the CIDs that the token can fetch",
  request: { query: pathListQuery },
  responses: respondsWith("One page", cidPage, 400, 403),
});
const lines = fileRoute({
  method: "get",
  path: "/files/{id}/read",
  summary: "Read numbered lines of a text file",
  request: { params: fileParams, query: linesQuery },
  responses: respondsWith("The lines", textLines, 400, 403, 404, 413),
});

/** Content that needs a token must stay out of caches. */
const cacheControl = "private, no-store";

/** Routes that read bytes by id, path, version and CID, and lines of text. */
export function contentRoutes(deps: FileRouteDeps): OpenAPIHono<FileEnv> {
  const { log } = deps;
  const serve = (c: Context<FileEnv>, opened: OpenedContent) => serveContent(c, opened, { cacheControl, log });
  return fileRouter()
    .openapi(byId, async (c) => serve(c, await openContent(fileContext(deps, c), { ref: c.req.valid("param") })))
    .openapi(byPath, async (c) => serve(c, await openContent(fileContext(deps, c), { ref: c.req.valid("query") })))
    .openapi(byVersion, async (c) => {
      const { id, version } = c.req.valid("param");
      return serve(c, await openContent(fileContext(deps, c), { ref: { id }, version }));
    })
    .openapi(byCid, async (c) => serve(c, await openCid(fileContext(deps, c), { cid: c.req.valid("param").cid })))
    .openapi(cids, async (c) => c.json(await listCids(fileContext(deps, c), c.req.valid("query")), 200))
    .openapi(lines, async (c) => {
      const ref = { id: c.req.valid("param").id };
      return c.json(await readLines(fileContext(deps, c), { ref, ...c.req.valid("query") }), 200);
    });
}
