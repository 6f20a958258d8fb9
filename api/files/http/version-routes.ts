import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../http/context.ts";
import { errorAnswers, jsonContent } from "../../http/openapi.ts";
import { listVersions } from "../versions/list-versions.ts";
import { restoreVersion } from "../versions/restore-version.ts";
import { fileMetadata, versionList } from "./answers.ts";
import { entityTag } from "./entity-tags.ts";
import { fileContext } from "./file-context.ts";
import { fileRoute, fileRouter } from "./route.ts";
import { fileParams, versionParams } from "./schemas.ts";

const list = fileRoute({
  method: "get",
  path: "/files/{id}/versions",
  summary: "List the retained versions of a file, the head first",
  request: { params: fileParams },
  responses: {
    200: { description: "The versions", content: jsonContent(versionList) },
    ...errorAnswers(400, 403, 404),
  },
});
const restore = fileRoute({
  method: "post",
  path: "/files/{id}/versions/{version}/restore",
  summary: "Write an earlier version's bytes as the new head",
  description: "`metadata.revertedTo` of the answer names that version. History is not rewritten.",
  request: { params: versionParams },
  responses: {
    200: { description: "The file", content: jsonContent(fileMetadata) },
    ...errorAnswers(400, 403, 404, 409, 413),
  },
});
/** History: list, compare, restore, label, prune. */
export function versionRoutes(): OpenAPIHono<AppEnv> {
  return fileRouter()
    .openapi(list, async (c) => c.json(await listVersions(fileContext(c), { ref: c.req.valid("param") }), 200))
    .openapi(restore, async (c) => {
      const { id, version } = c.req.valid("param");
      const { file } = await restoreVersion(fileContext(c), { ref: { id }, version });
      return c.json(file, 200, { ETag: entityTag(file.cid) });
    });
}
