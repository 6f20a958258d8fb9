import type { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../../platform/http/context.ts";
import { limitWrites } from "../../platform/http/limit-requests.ts";
import { describeMcp } from "../mcp/document.ts";
import { mcpRoutes } from "../mcp/routes.ts";
import { auditRoutes } from "./audit-routes.ts";
import { batchRoutes } from "./batch-routes.ts";
import { contentRoutes } from "./content-routes.ts";
import { downloadRoutes } from "./download-routes.ts";
import { fileRoutes } from "./file-routes.ts";
import { markRoutes } from "./mark-routes.ts";
import { publicRoutes } from "./public-routes.ts";
import { requireToken } from "./require-token.ts";
import { revocationRoutes } from "./revocation-routes.ts";
import { base } from "./route.ts";
import { treeRoutes } from "./tree-routes.ts";
import { uploadRoutes } from "./tus/routes.ts";
import { versionRoutes } from "./version-routes.ts";

/** Mount the file store: everything below /api/fs, the public routes, and /mcp for agents. */
export function mountFiles(app: OpenAPIHono<AppEnv>): void {
  app.openAPIRegistry.registerComponent("securitySchemes", "ucan", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "UCAN 0.9.1 as base64 CAR",
    description:
      "A UCAN invocation or delegation to this service (GET /.well-known/did.json), such as `npm run vfs -- token` mints.",
  });
  app.use(`${base}/*`, requireToken(), countWrites(), keepPrivate());
  const features = [fileRoutes, contentRoutes, treeRoutes, batchRoutes, markRoutes, versionRoutes, auditRoutes];
  for (const routes of [...features, downloadRoutes, revocationRoutes, uploadRoutes]) app.route(base, routes());
  app.route("/public", publicRoutes());
  describeMcp(app.openAPIRegistry);
  app.route("/mcp", mcpRoutes());
}

const reading = new Set(["GET", "HEAD", "OPTIONS"]);

function countWrites(): MiddlewareHandler<AppEnv> {
  return async function countWrites(c, next) {
    if (!reading.has(c.req.method)) await limitWrites(c);
    await next();
  };
}

/** What a token opened is kept by nobody on the way, errors included. */
function keepPrivate(): MiddlewareHandler<AppEnv> {
  return async function keepPrivate(c, next) {
    await next();
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "private, no-store");
  };
}
