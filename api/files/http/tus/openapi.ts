import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { errorResponses } from "../../../platform/http/index.ts";
import type { FileEnv } from "../env.ts";

const tags = ["Files"];
const security = [{ ucan: [] }];
const resumable = z.literal("1.0.0").openapi({ example: "1.0.0" });
const wholeNumber = z.string().openapi({ type: "integer", minimum: 0 });
const uploadId = z.object({ id: z.string().openapi({ example: "01KAZ5T6Q4M7R8S9T0V1W2X3Y4" }) });

/** Describe the tus routes in the OpenAPI document. The protocol itself: https://tus.io/protocols/resumable-upload. */
export function describeUploads(registry: OpenAPIHono<FileEnv>["openAPIRegistry"]): void {
  registry.registerPath({
    method: "post",
    path: "/upload",
    tags,
    security,
    summary: "Begin a resumable upload (tus 1.0.0)",
    description: "Upload-Metadata contains `path`, and optionally `filetype` and `filename`, each in base64.",
    request: {
      headers: z.object({
        "Tus-Resumable": resumable,
        "Upload-Length": wholeNumber.optional(),
        "Upload-Metadata": z.string().openapi({ example: "path L3JlcG9ydHMvYmlnLmJpbg==,filetype dGV4dC9wbGFpbg==" }),
      }),
    },
    responses: {
      201: { description: "Created; Location is the upload's URL" },
      ...errorResponses(400, 403, 404, 409, 412, 413),
    },
  });
  registry.registerPath({
    method: "patch",
    path: "/upload/{id}",
    tags,
    security,
    summary: "Continue a resumable upload",
    request: {
      params: uploadId,
      headers: z.object({ "Tus-Resumable": resumable, "Upload-Offset": wholeNumber }),
      body: {
        content: { "application/offset+octet-stream": { schema: z.string().openapi({ format: "binary" }) } },
      },
    },
    responses: {
      204: { description: "Stored; after the last byte with x-vfs-file-id, x-vfs-cid and x-vfs-content-hash" },
      ...errorResponses(400, 403, 404, 408, 409, 412, 413, 415),
    },
  });
  registry.registerPath({
    method: "delete",
    path: "/upload/{id}",
    tags,
    security,
    summary: "Cancel a resumable upload and destroy its bytes",
    request: { params: uploadId, headers: z.object({ "Tus-Resumable": resumable }) },
    responses: { 204: { description: "Cancelled; no bytes are kept" }, ...errorResponses(400, 403, 404, 412) },
  });
}
