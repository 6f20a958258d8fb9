import type { OpenAPIHono } from "@hono/zod-openapi";
import { create as contentDisposition } from "content-disposition";
import { errorResponses, streamResponse } from "../../../platform/http/index.ts";
import { nameOf } from "../../../platform/ucan/index.ts";
import { release } from "../../content/release-buffers.ts";
import { zipFolder } from "../../read/zip-folder.ts";
import { type FileEnv, type FileRouteDeps, fileContext } from "../env.ts";
import { fileRoute, fileRouter } from "../route.ts";
import { folderQuery } from "../schemas.ts";
import { guards } from "../serve-content.ts";

const download = fileRoute({
  method: "get",
  path: "/folder/download",
  summary: "Download as a zip the files of a folder that the token may read",
  description: "Streamed, so it has no Content-Length. Names are relative to the folder.",
  request: { query: folderQuery },
  responses: {
    200: { description: "The zip", content: { "application/zip": { schema: { type: "string", format: "binary" } } } },
    ...errorResponses(400, 403, 404),
  },
});

/** Folders as zip files. */
export function downloadRoutes(deps: FileRouteDeps): OpenAPIHono<FileEnv> {
  return fileRouter().openapi(download, async (c) => {
    const { path } = c.req.valid("query");
    const zip = await zipFolder(fileContext(deps, c), path);
    const headers = {
      ...guards,
      "Cache-Control": "private, no-store",
      "Content-Type": "application/zip",
      "Content-Disposition": contentDisposition(`${nameOf(path) || "files"}.zip`, { type: "attachment" }),
    };
    if (c.req.method !== "HEAD") return streamResponse(c, zip, { status: 200, headers, log: deps.log, release });
    await zip.return(undefined);
    return c.body(null, 200, headers);
  });
}
