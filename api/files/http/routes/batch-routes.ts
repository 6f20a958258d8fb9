import type { OpenAPIHono } from "@hono/zod-openapi";
import { errorResponses, jsonContent } from "../../../platform/http/index.ts";
import { purgeFile, purgeFiles } from "../../purge/purge-files.ts";
import { moveFiles } from "../../tree/moving/move-files.ts";
import { restoreFile, restoreFiles, trashFile, trashFiles } from "../../tree/moving/trash-files.ts";
import { ifMatch } from "../entity-tags.ts";
import { type FileEnv, type FileRouteDeps, fileContext } from "../env.ts";
import { batchResponse, fileMetadata, purgedFile } from "../responses.ts";
import { fileRoute, fileRouter } from "../route.ts";
import { fileParams, idsRequest, moveRequest } from "../schemas.ts";

const everyItem =
  "`If-Match` applies to each item: an item with another head fails with PRECONDITION_FAILED, the others continue.";
const batch = {
  200: { description: "The result of each item", content: jsonContent(batchResponse) },
  ...errorResponses(400, 403),
};
const ids = { body: { required: true, content: jsonContent(idsRequest) } };

const move = fileRoute({
  method: "post",
  path: "/batch/move",
  summary: "Move or rename files",
  description: `\`version\` is the counter that the caller knows: an item with another counter fails with STALE_MOVE, the others continue. ${everyItem}`,
  // Large enough for 1000 paths of 1024 characters of up to 4 bytes each.
  bodyLimit: 8 * 1024 * 1024,
  request: { body: { required: true, content: jsonContent(moveRequest) } },
  responses: batch,
});
const trash = fileRoute({
  method: "post",
  path: "/batch/delete",
  summary: "Trash files",
  description: everyItem,
  request: ids,
  responses: batch,
});
const restore = fileRoute({
  method: "post",
  path: "/batch/restore",
  summary: "Take files out of the trash",
  description: everyItem,
  request: ids,
  responses: batch,
});
const purge = fileRoute({
  method: "post",
  path: "/batch/purge",
  summary: "Destroy files, their history and their keys permanently",
  description: everyItem,
  request: ids,
  responses: batch,
});
const changed = {
  200: { description: "The file", content: jsonContent(fileMetadata) },
  ...errorResponses(400, 403, 404, 409, 412),
};
const trashOne = fileRoute({
  method: "delete",
  path: "/files/{id}",
  summary: "Trash a file",
  description: "Takes `If-Match`.",
  request: { params: fileParams },
  responses: changed,
});
const restoreOne = fileRoute({
  method: "post",
  path: "/files/{id}/restore",
  summary: "Take a file out of the trash",
  description: "Takes `If-Match`.",
  request: { params: fileParams },
  responses: changed,
});
const purgeOne = fileRoute({
  method: "post",
  path: "/files/{id}/purge",
  summary: "Destroy a file, its history and its keys permanently",
  description: "Takes `If-Match`.",
  request: { params: fileParams },
  responses: {
    200: { description: "The signed receipt", content: jsonContent(purgedFile) },
    202: { description: "The same, while the destruction is not complete", content: jsonContent(purgedFile) },
    ...errorResponses(400, 403, 404, 409, 412),
  },
});

/** Routes that move, trash, restore and purge one file or many. */
export function batchRoutes(deps: FileRouteDeps): OpenAPIHono<FileEnv> {
  return fileRouter()
    .openapi(move, async (c) =>
      c.json(await moveFiles(fileContext(deps, c), { ...c.req.valid("json"), ...ifMatch(c) }), 200),
    )
    .openapi(trash, async (c) =>
      c.json(await trashFiles(fileContext(deps, c), { ...c.req.valid("json"), ...ifMatch(c) }), 200),
    )
    .openapi(restore, async (c) =>
      c.json(await restoreFiles(fileContext(deps, c), { ...c.req.valid("json"), ...ifMatch(c) }), 200),
    )
    .openapi(purge, async (c) =>
      c.json(await purgeFiles(fileContext(deps, c), { ...c.req.valid("json"), ...ifMatch(c) }), 200),
    )
    .openapi(trashOne, async (c) =>
      c.json(await trashFile(fileContext(deps, c), c.req.valid("param"), ifMatch(c)), 200),
    )
    .openapi(restoreOne, async (c) =>
      c.json(await restoreFile(fileContext(deps, c), c.req.valid("param"), ifMatch(c)), 200),
    )
    .openapi(purgeOne, async (c) => {
      const purged = await purgeFile(fileContext(deps, c), c.req.valid("param"), ifMatch(c));
      return c.json(purged, purged.pending === true ? 202 : 200);
    });
}
