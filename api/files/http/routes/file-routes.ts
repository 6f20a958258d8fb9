import type { OpenAPIHono } from "@hono/zod-openapi";
import { errorResponses, jsonContent } from "../../../platform/http/index.ts";
import { readFile } from "../../read/read-file.ts";
import { readUsage } from "../../read/read-usage.ts";
import { createFile } from "../../write/create-file.ts";
import { editFile } from "../../write/edit-file.ts";
import { writeFile } from "../../write/write-file.ts";
import { entityTag, readTags } from "../entity-tags.ts";
import { type FileEnv, type FileRouteDeps, fileContext } from "../env.ts";
import { readUpload } from "../request-body.ts";
import { editedFile, fileMetadata, usage } from "../responses.ts";
import { fileRoute, fileRouter, rawBody, respondsWith } from "../route.ts";
import { createQuery, editRequest, fileParams } from "../schemas.ts";

const create = fileRoute({
  method: "post",
  path: "/files",
  summary: "Create a file from the raw body",
  description:
    "Content-Type is the file's media type. `If-None-Match: *` turns the 409 of a taken path into 412. With `If-Match`, a free path gets 412.",
  streamed: true,
  request: { query: createQuery, body: rawBody() },
  responses: {
    201: { description: "The file", content: jsonContent(fileMetadata) },
    ...errorResponses(400, 403, 404, 408, 409, 412, 413),
  },
});

const write = fileRoute({
  method: "put",
  path: "/files/{id}",
  summary: "Write a new version from the raw body",
  description: "Writing the head's bytes again changes nothing, so a write may be repeated. Takes `If-Match`.",
  streamed: true,
  request: { params: fileParams, body: rawBody() },
  responses: respondsWith("The file", fileMetadata, 400, 403, 404, 408, 409, 412, 413),
});

const edit = fileRoute({
  method: "patch",
  path: "/files/{id}/edit",
  summary: "Replace text within a file, as a new version",
  bodyLimit: 8 * 1024 * 1024,
  anyText: true,
  request: { params: fileParams, body: { required: true, content: jsonContent(editRequest) } },
  responses: respondsWith("The file, and the number of replacements", editedFile, 400, 403, 404, 409, 412, 413),
});

const read = fileRoute({
  method: "get",
  path: "/files/{id}",
  summary: "Read a file's metadata",
  request: { params: fileParams },
  responses: respondsWith("The file", fileMetadata, 400, 403, 404),
});

const readUse = fileRoute({
  method: "get",
  path: "/usage",
  summary: "Count the files that the token may see, and read the quota",
  description: "Counts hidden files only for a token that reveals them. Includes the trash.",
  responses: respondsWith("Counts", usage, 400, 403),
});

/** Routes that create, write, edit and read files, and read the usage. */
export function fileRoutes(deps: FileRouteDeps): OpenAPIHono<FileEnv> {
  return fileRouter()
    .openapi(create, async (c) => {
      const { content, declaredSize, mimeType = "application/octet-stream" } = readUpload(c, deps.config.files);
      const conditions = { ifMatch: readTags(c, "If-Match"), ifNoneMatch: readTags(c, "If-None-Match") };
      const query = c.req.valid("query");
      const file = await createFile(fileContext(deps, c), { ...query, mimeType, content, declaredSize, ...conditions });
      return c.json(file, 201, { Location: `/api/fs/files/${file.id}`, ETag: entityTag(file.cid) });
    })
    .openapi(write, async (c) => {
      const { content, declaredSize, mimeType } = readUpload(c, deps.config.files);
      const conditions = { ifMatch: readTags(c, "If-Match"), ifNoneMatch: readTags(c, "If-None-Match") };
      const ref = { id: c.req.valid("param").id };
      const { file } = await writeFile(fileContext(deps, c), { ref, mimeType, content, declaredSize, ...conditions });
      return c.json(file, 200, { ETag: entityTag(file.cid) });
    })
    .openapi(edit, async (c) => {
      const ref = { id: c.req.valid("param").id };
      const file = await editFile(fileContext(deps, c), {
        ref,
        ...c.req.valid("json"),
        ifMatch: readTags(c, "If-Match"),
      });
      return c.json(file, 200, { ETag: entityTag(file.cid) });
    })
    .openapi(read, async (c) => {
      const file = await readFile(fileContext(deps, c), { ref: { id: c.req.valid("param").id } });
      return c.json(file, 200, { ETag: entityTag(file.cid) });
    })
    .openapi(readUse, async (c) => c.json(await readUsage(fileContext(deps, c)), 200));
}
