import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../http/context.ts";
import { errorAnswers, jsonContent } from "../../http/openapi.ts";
import { readFile } from "../read/read-file.ts";
import { createFile } from "../write/create-file.ts";
import { writeFile } from "../write/write-file.ts";
import { fileMetadata } from "./answers.ts";
import { entityTag, readTags } from "./entity-tags.ts";
import { fileContext } from "./file-context.ts";
import { fileRoute, fileRouter, rawBody } from "./route.ts";
import { createQuery, fileParams } from "./schemas.ts";
import { readUpload } from "./upload.ts";

const create = fileRoute({
  method: "post",
  path: "/files",
  summary: "Create a file from the raw body",
  description: "Content-Type is the file's media type. `If-None-Match: *` turns the 409 of a taken path into 412.",
  streamed: true,
  request: { query: createQuery, body: rawBody() },
  responses: {
    201: { description: "The file", content: jsonContent(fileMetadata) },
    ...errorAnswers(400, 403, 404, 409, 412, 413),
  },
});

const write = fileRoute({
  method: "put",
  path: "/files/{id}",
  summary: "Write a new version from the raw body",
  description: "The bytes that the head already has change nothing, so a write may be repeated. Takes `If-Match`.",
  streamed: true,
  request: { params: fileParams, body: rawBody() },
  responses: {
    200: { description: "The file", content: jsonContent(fileMetadata) },
    ...errorAnswers(400, 403, 404, 409, 412, 413),
  },
});

const read = fileRoute({
  method: "get",
  path: "/files/{id}",
  summary: "Read a file's metadata",
  request: { params: fileParams },
  responses: { 200: { description: "The file", content: jsonContent(fileMetadata) }, ...errorAnswers(400, 403, 404) },
});

/** Files: create, write, edit, read; what they take up. */
export function fileRoutes(): OpenAPIHono<AppEnv> {
  return fileRouter()
    .openapi(create, async (c) => {
      const { content, declaredSize, mimeType = "application/octet-stream" } = readUpload(c);
      const ifNoneMatch = readTags(c, "If-None-Match");
      const query = c.req.valid("query");
      const file = await createFile(fileContext(c), { ...query, mimeType, content, declaredSize, ifNoneMatch });
      return c.json(file, 201, { Location: `/api/fs/files/${file.id}`, ETag: entityTag(file.cid) });
    })
    .openapi(write, async (c) => {
      const { content, declaredSize, mimeType } = readUpload(c);
      const conditions = { ifMatch: readTags(c, "If-Match"), ifNoneMatch: readTags(c, "If-None-Match") };
      const ref = { id: c.req.valid("param").id };
      const { file } = await writeFile(fileContext(c), { ref, mimeType, content, declaredSize, ...conditions });
      return c.json(file, 200, { ETag: entityTag(file.cid) });
    })
    .openapi(read, async (c) => {
      const file = await readFile(fileContext(c), { ref: { id: c.req.valid("param").id } });
      return c.json(file, 200, { ETag: entityTag(file.cid) });
    });
}
