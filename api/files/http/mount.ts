import type { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { type AppEnv, limitWrites } from "../../platform/http/index.ts";
import type { FilesConfig } from "../configuration.ts";
import { describeMcp } from "../mcp/openapi.ts";
import { mcpRoutes } from "../mcp/routes.ts";
import type { FileRouteDeps } from "./env.ts";
import { requireToken } from "./require-token.ts";
import { base } from "./route.ts";
import { auditRoutes } from "./routes/audit-routes.ts";
import { batchRoutes } from "./routes/batch-routes.ts";
import { contentRoutes } from "./routes/content-routes.ts";
import { downloadRoutes } from "./routes/download-routes.ts";
import { fileRoutes } from "./routes/file-routes.ts";
import { markRoutes } from "./routes/mark-routes.ts";
import { publicRoutes } from "./routes/public-routes.ts";
import { revocationRoutes } from "./routes/revocation-routes.ts";
import { treeRoutes } from "./routes/tree-routes.ts";
import { versionRoutes } from "./routes/version-routes.ts";
import { announceTus } from "./tus/announce-tus.ts";
import { uploadRoutes } from "./tus/routes.ts";

/** Mount the file store: everything below /api/fs, the public routes, and /mcp for agents. */
export function mountFiles(app: OpenAPIHono<AppEnv>, deps: FileRouteDeps): void {
  app.openAPIRegistry.registerComponent("securitySchemes", "ucan", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "UCAN 0.9.1 as base64 CAR",
    description:
      "A UCAN invocation or delegation to this service (GET /.well-known/did.json), such as `npm run vfs -- token` mints.",
  });
  app.use(`${base}/*`, requireToken(deps.files.authority));
  app.use(`${base}/*`, countWrites(), keepPrivate());
  const features = [fileRoutes, contentRoutes, treeRoutes, batchRoutes, markRoutes, versionRoutes, auditRoutes];
  for (const routes of [...features, downloadRoutes, revocationRoutes, uploadRoutes]) app.route(base, routes(deps));
  app.route("/public", publicRoutes(deps));
  describeMcp(app.openAPIRegistry);
  app.route("/mcp", mcpRoutes(deps));
}

/** Mount the part that must run before CORS: responses to OPTIONS describe the tus server. */
export function mountUploadOptions(app: OpenAPIHono<AppEnv>, config: Pick<FilesConfig, "fileLimitBytes">): void {
  app.use(`${base}/upload/*`, announceTus(config));
}

const reading = new Set(["GET", "HEAD", "OPTIONS"]);

function countWrites(): MiddlewareHandler<AppEnv> {
  return async function countWrites(c, next) {
    if (!reading.has(c.req.method)) await limitWrites(c);
    await next();
  };
}

/** Keep responses to requests with tokens, errors included, out of caches. */
function keepPrivate(): MiddlewareHandler<AppEnv> {
  return async function keepPrivate(c, next) {
    await next();
    // Not `c.header`, which would make another response, whose body is a stream.
    const { headers } = c.res;
    if (!headers.has("Cache-Control")) headers.set("Cache-Control", "private, no-store");
  };
}
