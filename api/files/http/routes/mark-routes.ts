import type { OpenAPIHono } from "@hono/zod-openapi";
import { jsonContent } from "../../../platform/http/index.ts";
import { setFileHidden, setFilePublic } from "../../tree/marks/mark-file.ts";
import { setFolderHidden, setFolderPublic } from "../../tree/marks/mark-folder.ts";
import { ifMatch } from "../entity-tags.ts";
import { type FileEnv, type FileRouteDeps, fileContext } from "../env.ts";
import { fileMetadata, folderMarks } from "../responses.ts";
import { fileRoute, fileRouter, respondsWith } from "../route.ts";
import { fileParams, folderHiddenRequest, folderPublicRequest, hiddenRequest, publicRequest } from "../schemas.ts";

const file = respondsWith("The file", fileMetadata, 400, 403, 404, 409, 412);
const folder = respondsWith("The folder's marks", folderMarks, 400, 403, 404);

const hideFile = fileRoute({
  method: "patch",
  path: "/files/{id}/hidden",
  summary: "Hide or unhide a file",
  description: "Takes `If-Match`.",
  request: { params: fileParams, body: { required: true, content: jsonContent(hiddenRequest) } },
  responses: file,
});
const publishFile = fileRoute({
  method: "patch",
  path: "/files/{id}/public",
  summary: "Make a file's head public or private",
  description: "Takes `If-Match`.",
  request: { params: fileParams, body: { required: true, content: jsonContent(publicRequest) } },
  responses: file,
});
const hideFolder = fileRoute({
  method: "put",
  path: "/folders/hidden",
  summary: "Hide or unhide all files of a folder",
  request: { body: { required: true, content: jsonContent(folderHiddenRequest) } },
  responses: folder,
});
const publishFolder = fileRoute({
  method: "put",
  path: "/folders/public",
  summary: "Make all files of a folder public or private",
  request: { body: { required: true, content: jsonContent(folderPublicRequest) } },
  responses: folder,
});

/** Hidden and public marks of files and folders. */
export function markRoutes(deps: FileRouteDeps): OpenAPIHono<FileEnv> {
  return fileRouter()
    .openapi(hideFile, async (c) => {
      const input = { ref: c.req.valid("param"), ...c.req.valid("json"), ...ifMatch(c) };
      return c.json(await setFileHidden(fileContext(deps, c), input), 200);
    })
    .openapi(publishFile, async (c) => {
      const input = { ref: c.req.valid("param"), ...c.req.valid("json"), ...ifMatch(c) };
      return c.json(await setFilePublic(fileContext(deps, c), input), 200);
    })
    .openapi(hideFolder, async (c) => c.json(await setFolderHidden(fileContext(deps, c), c.req.valid("json")), 200))
    .openapi(publishFolder, async (c) => c.json(await setFolderPublic(fileContext(deps, c), c.req.valid("json")), 200));
}
