import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../../http/context.ts";
import { errorAnswers } from "../../http/openapi.ts";
import { type OpenedContent, openContent } from "../read/open-content.ts";
import { fileContext } from "./file-context.ts";
import { fileRoute, fileRouter, rawAnswer } from "./route.ts";
import { fileParams, fileQuery, versionParams } from "./schemas.ts";
import { serveContent } from "./serve-content.ts";

const served = {
  200: rawAnswer("The bytes"),
  206: rawAnswer("The range of them that was asked for"),
  304: { description: "They are those of If-None-Match" },
  ...errorAnswers(400, 403, 404, 412, 416),
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
/** What needed a token is kept by nobody on the way. */
const cacheControl = "private, no-store";

function serve(c: Context<AppEnv>, opened: OpenedContent): Promise<Response> {
  return serveContent(c, opened, { cacheControl });
}

/** Bytes by id, path, version and CID; lines of text. */
export function contentRoutes(): OpenAPIHono<AppEnv> {
  return fileRouter()
    .openapi(byId, async (c) => serve(c, await openContent(fileContext(c), { ref: c.req.valid("param") })))
    .openapi(byPath, async (c) => serve(c, await openContent(fileContext(c), { ref: c.req.valid("query") })))
    .openapi(byVersion, async (c) => {
      const { id, version } = c.req.valid("param");
      return serve(c, await openContent(fileContext(c), { ref: { id }, version }));
    });
}
