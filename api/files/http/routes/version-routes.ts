import type { OpenAPIHono } from "@hono/zod-openapi";
import { jsonContent } from "../../../platform/http/index.ts";
import { diffVersions } from "../../versions/diff-versions.ts";
import { labelVersion } from "../../versions/label-version.ts";
import { listVersions } from "../../versions/list-versions.ts";
import { pruneVersions } from "../../versions/prune-versions.ts";
import { restoreVersion } from "../../versions/restore-version.ts";
import { entityTag, ifMatch } from "../entity-tags.ts";
import { type FileEnv, type FileRouteDeps, fileContext } from "../env.ts";
import { fileMetadata, prunedVersions, versionDiff, versionList, versionResponse } from "../responses.ts";
import { fileRoute, fileRouter, respondsWith } from "../route.ts";
import { diffQuery, fileParams, labelRequest, pruneRequest, versionParams } from "../schemas.ts";

const list = fileRoute({
  method: "get",
  path: "/files/{id}/versions",
  summary: "List the retained versions of a file, the head first",
  request: { params: fileParams },
  responses: respondsWith("The versions", versionList, 400, 403, 404),
});
const diff = fileRoute({
  method: "get",
  path: "/files/{id}/versions/diff",
  summary: "Compare two versions: unified diff of text, JSON patch of JSON",
  request: { params: fileParams, query: diffQuery },
  responses: respondsWith("What differs", versionDiff, 400, 403, 404, 413),
});
const restore = fileRoute({
  method: "post",
  path: "/files/{id}/versions/{version}/restore",
  summary: "Write an earlier version's bytes as the new head",
  description: "`metadata.revertedTo` of the response is that version. History is not rewritten. Takes `If-Match`.",
  request: { params: versionParams },
  responses: respondsWith("The file", fileMetadata, 400, 403, 404, 409, 412, 413),
});
const label = fileRoute({
  method: "put",
  path: "/files/{id}/versions/{version}/label",
  summary: "Label a version, or keep it from being pruned",
  description: "Takes `If-Match`.",
  request: { params: versionParams, body: { required: true, content: jsonContent(labelRequest) } },
  responses: respondsWith("The version", versionResponse, 400, 403, 404, 409, 412),
});
const prune = fileRoute({
  method: "post",
  path: "/files/{id}/versions/prune",
  summary: "Destroy old unpinned versions (owner only)",
  description: "Takes `If-Match`.",
  request: { params: fileParams, body: { required: true, content: jsonContent(pruneRequest) } },
  responses: respondsWith("The destroyed versions", prunedVersions, 400, 403, 404, 409, 412),
});

/** History: list, compare, restore, label, prune. */
export function versionRoutes(deps: FileRouteDeps): OpenAPIHono<FileEnv> {
  return fileRouter()
    .openapi(list, async (c) => c.json(await listVersions(fileContext(deps, c), { ref: c.req.valid("param") }), 200))
    .openapi(diff, async (c) => {
      const input = { ref: c.req.valid("param"), ...c.req.valid("query") };
      return c.json(await diffVersions(fileContext(deps, c), input), 200);
    })
    .openapi(restore, async (c) => {
      const { id, version } = c.req.valid("param");
      const { file } = await restoreVersion(fileContext(deps, c), { ref: { id }, version, ...ifMatch(c) });
      return c.json(file, 200, { ETag: entityTag(file.cid) });
    })
    .openapi(label, async (c) => {
      const { id, version } = c.req.valid("param");
      const input = { ref: { id }, version, ...c.req.valid("json"), ...ifMatch(c) };
      return c.json(await labelVersion(fileContext(deps, c), input), 200);
    })
    .openapi(prune, async (c) => {
      const input = { ref: c.req.valid("param"), ...c.req.valid("json"), ...ifMatch(c) };
      return c.json(await pruneVersions(fileContext(deps, c), input), 200);
    });
}
