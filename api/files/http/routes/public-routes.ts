import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AppError } from "../../../platform/errors.ts";
import { errorResponse, jsonContent, limitAddress } from "../../../platform/http/index.ts";
import { notFound } from "../../../platform/ucan/index.ts";
import { openPublic, type PublicRef } from "../../read/open-public.ts";
import type { FileEnv, FileRouteDeps } from "../env.ts";
import { rawResponse } from "../route.ts";
import { serveContent } from "../serve-content.ts";

const error = (description: string) => ({ description, content: jsonContent(errorResponse) });
const common = {
  method: "get" as const,
  tags: ["Public files"],
  security: [],
  description: "Live heads that are public; never history. Takes `Range`, `If-None-Match` and HEAD.",
  responses: {
    200: rawResponse("The bytes, as an attachment"),
    206: rawResponse("The requested range"),
    304: { description: "Unchanged: the bytes have a tag of If-None-Match" },
    403: error("A page of this server tried to load it as a script or style"),
    404: error("There is no such public file, for any reason"),
    416: error("The range is outside of the content"),
    429: error("Too many requests; see Retry-After"),
  },
};
const text = z.string().min(1);

/** Routes of public files, without a token. Every request that cannot be served gets the same 404. */
export function publicRoutes(deps: FileRouteDeps): OpenAPIHono<FileEnv> {
  const routes = new OpenAPIHono<FileEnv>();
  const describe = (path: string, summary: string, params: z.ZodObject) =>
    routes.openAPIRegistry.registerPath(createRoute({ ...common, path, summary, request: { params } }));
  describe("/id/{id}", "Download a public file by its id", z.object({ id: text }));
  describe("/cid/{cid}", "Download a public file by the CID of its head", z.object({ cid: text }));
  describe(
    "/{namespace}/{path}",
    "Download a public file by its owner's DID and its path",
    z.object({ namespace: text, path: text.openapi({ description: "Without the first slash; may contain others." }) }),
  );
  routes.use(limitAddress());
  routes.get("/id/:id", (c) => serve(deps, c, { id: c.req.param("id") }));
  routes.get("/cid/:cid", (c) => serve(deps, c, { cid: c.req.param("cid") }));
  routes.get("/:namespace/:path{.+}", (c) =>
    serve(deps, c, { namespace: c.req.param("namespace"), path: `/${c.req.param("path")}` }),
  );
  routes.get("/*", () => {
    throw notFound();
  });
  return routes;
}

async function serve(deps: FileRouteDeps, c: Context<FileEnv>, ref: PublicRef): Promise<Response> {
  refuseToRun(c);
  const opened = await openPublic({ deps, signal: c.req.raw.signal }, ref);
  const response = await serveContent(c, opened, { cacheControl: "public, max-age=60", log: deps.log });
  // A browser must not reuse a cached download for a page that wants to run the file.
  response.headers.append("Vary", "Sec-Fetch-Dest");
  if (response.status === 200 || response.status === 206) {
    deps.files.audit.recordRead({
      kind: "public.read",
      namespace: opened.file.namespace,
      fileId: opened.file.id,
      version: opened.version,
      actor: null,
      invoker: null,
      tokenCid: null,
    });
  }
  return response;
}

const running = new Set(["script", "style", "xslt", "worker", "sharedworker", "serviceworker", "audioworklet"]);

/**
 * Refuse to serve a file as script or style to pages of this server, because any user may store files here. Browsers send the
 * purpose of a request. Downloads, images and other sites' pages are not affected.
 * @throws AppError FORBIDDEN
 */
function refuseToRun(c: Context<FileEnv>): void {
  const isOwnPage = ["same-origin", "same-site"].includes(c.req.header("sec-fetch-site") ?? "");
  if (!isOwnPage || !running.has(c.req.header("sec-fetch-dest") ?? "")) return;
  throw new AppError("FORBIDDEN", "A public file is data: pages of this server do not run it.");
}
