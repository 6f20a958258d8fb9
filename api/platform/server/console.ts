import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { HttpBindings } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AppError } from "../errors.ts";
import type { AppEnv } from "../http/index.ts";
import { assetHeaders, policyWith, securityHeaders } from "./security-headers.ts";

const web = join(import.meta.dirname, "../../../web");

const unbuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="3"><title>Hearth</title></head>
<body><h1>The console is being built</h1><p>This page tries again by itself. If it stays, run <code>node
scripts/build-console.ts</code> where Hearth runs, and read what it says.</p></body></html>`;

/**
 * The policies of built pages, each with the hashes of the scripts in the page (SHA-256, base64). A page is read once, and again when
 * it was built again while the server runs.
 */
function openPolicies(): (file: string) => string {
  const known = new Map<string, { version: string; policy: string }>();
  return (file) => {
    const { mtimeMs, size, ino } = statSync(file);
    const version = `${mtimeMs} ${size} ${ino}`;
    const found = known.get(file);
    if (found?.version === version) return found.policy;
    const scripts = readFileSync(file, "utf8").matchAll(/<script>(.*?)<\/script>/gs);
    const hashes = [...scripts].map(([, script = ""]) => createHash("sha256").update(script).digest("base64"));
    const policy = policyWith(hashes);
    known.set(file, { version, policy });
    return policy;
  };
}

/** The name of the built page for a path of the console: `regulator.vouchers`, and for one record `regulator.trace._`. */
function pageOf(path: string): string | undefined {
  const [area = "", page, record, ...rest] = path
    .replace(/^\/console\/?/, "")
    .replace(/\/$/, "")
    .split("/");
  const names = [area, ...(page === undefined ? [] : [page])];
  if (rest.length > 0 || !names.every((name) => /^[\w-]+$/.test(name))) return undefined;
  return [...names, ...(record === undefined ? [] : ["_"])].join(".");
}

/** Scripts and style sheets that pages load; not workers' scripts (web/vite.config.ts), nor pictures, which open as pages, too. */
const pageAssets = /^\/console\/assets\/[^/]+\.(js|css)$/;

/** Headers of other responses that these do not need: a page loads a dozen of them first. */
const notOfAssets = [
  ...Object.keys(securityHeaders),
  "access-control-allow-origin",
  "access-control-expose-headers",
].filter((name) => !(name in assetHeaders));

function limitToAssetHeaders(c: Context<AppEnv>): void {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  for (const name of notOfAssets) {
    c.res.headers.delete(name);
    outgoing?.removeHeader(name);
  }
  for (const [name, value] of Object.entries(assetHeaders)) c.res.headers.set(name, value);
}

/**
 * Serve the console below /console. Assets have a hash of their content in their names, so they never change. Each page has its own HTML
 * file, with what it shows first. Every other path returns the first page, which reads the path itself. Without a build,
 * serve a page that says so.
 */
export function mountConsole(app: OpenAPIHono<AppEnv>, folder = web): void {
  app.use("/console/*", async (c, next) => {
    for (const [name, value] of Object.entries(securityHeaders)) c.header(name, value);
    // `serveStatic` calls onFound after it has made its response. Once `c` has a response, Hono adds its headers to that one.
    void c.res;
    await next();
    if (c.res.status !== 404 && pageAssets.test(c.req.path)) limitToAssetHeaders(c);
  });
  const fromBuild = (path: string) => `/dist${path.slice("/console".length)}`;
  const assets = serveStatic<AppEnv>({
    root: folder,
    precompressed: true,
    rewriteRequestPath: fromBuild,
    onFound: (_path, c) => c.header("cache-control", "public, max-age=31536000, immutable"),
  });
  app.get("/console/assets/*", assets, (c) => {
    throw new AppError("NOT_FOUND", `There is no ${c.req.path}.`);
  });
  const policyOf = openPolicies();
  const page = serveStatic<AppEnv>({
    root: folder,
    precompressed: true,
    rewriteRequestPath: (path) => {
      if (/^\/console\/[\w-]+\.\w+$/.test(path)) return fromBuild(path);
      const own = `/dist/pages/${pageOf(path)}.html`;
      return existsSync(join(folder, own)) ? own : "/dist/index.html";
    },
    onFound: (path, c) => {
      c.header("cache-control", "no-cache");
      // The file that was found may be the page's compressed copy.
      const html = /^.*\.html/.exec(path)?.[0];
      if (html !== undefined) c.header("content-security-policy", policyOf(html));
    },
  });
  app.get("/console/*", page, (c) => {
    if (existsSync(join(folder, "dist/index.html"))) throw new AppError("NOT_FOUND", `There is no ${c.req.path}.`);
    return c.html(unbuilt, 503, { "retry-after": "3", "cache-control": "no-store" });
  });
}
