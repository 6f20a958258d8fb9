import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../http/index.ts";
import { docsStyle } from "./docs-style.ts";
import { securityHeaders } from "./security-headers.ts";

const description = `Vouchers, redemptions and delivery claims on a public ledger (/v1); encrypted files with versions (/api/fs).
Every answer below 400 is the record itself; every other one has the shape of \`Error\`, with every broken rule in \`details\`.
Answers come in this order: 401, 429, 403 for a role that may never call the route (\`x-callers\` says which may), 400 for the
form, 404 for the record, 403 for what is another's, 409, 400 for the rules.
A write whose transaction is not in a block in time answers 202 with \`{operationId, url, status: "submitted", transactionHash}\`.
Amounts are CARBON with at most 6 decimals, exact. Unknown fields are refused. Lists answer \`{items, nextCursor}\`.`;

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header" as const,
  required: false,
  description:
    "Same key and same body: the first answer again, for 7 days. Same key and another body: 409. An answer that held a secret is " +
    "never kept: then the second call answers 409 with the `id` of what the first one made.",
  schema: { type: "string" as const, minLength: 1, maxLength: 255 },
};

export type ApiDocument = ReturnType<OpenAPIHono<AppEnv>["getOpenAPI31Document"]>;

/** Build the OpenAPI 3.1 document of all routes of the app. */
export function describeApi(app: OpenAPIHono<AppEnv>): ApiDocument {
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description:
      "`Authorization: Bearer hk_…`, or `hs_…` for the session of a wallet. Suppliers' keys and all sessions also need a `DPoP` header with a proof of possession (RFC 9449; ES256 or EdDSA).",
  });
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Hearth", version: "1", description, license: { name: "Apache-2.0" } },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }],
  });
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of ["get", "post", "put", "patch", "delete"] as const) {
      const operation = item[method];
      if (operation === undefined) continue;
      operation.operationId ??= operationId(method, path);
      if (method !== "get" && path.startsWith("/v1/") && !path.startsWith("/v1/sessions"))
        operation.parameters = [...(operation.parameters ?? []), idempotencyKey];
    }
  }
  return document;
}

/** Name an operation: `post /v1/vouchers/{id}/suspend` → `postVouchersByIdSuspend`. Chat and sign-in sessions differ. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/sessions/, "/chat-sessions")
    .replace(/^\/v1/, "")
    .replace(/^\/api\/fs/, "/files-store")
    .replace(/\{(\w+)\}/g, "by-$1")
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hearth API</title><link rel="stylesheet" href="/docs/swagger-ui.css"><link rel="stylesheet" href="/docs/style.css"><link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body><div id="swagger-ui"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body>
</html>`;
/**
 * Swagger UI must not persist the entered key, which the browser would store in plain text. What it renders is named for screen
 * readers: headings in order, parts of the page, lists and fields; and no link is within an operation's button.
 */
const start = `const page = document.getElementById("swagger-ui");
const mend = () => {
  for (const [selector, level] of [["h3.opblock-tag", 2], ["h4", 3], ["h5", 4]]) {
    for (const heading of page.querySelectorAll(selector + ":not([aria-level])")) {
      heading.setAttribute("role", "heading");
      heading.setAttribute("aria-level", level);
    }
  }
  for (const [selector, label] of [[".information-container", "About this API"], [".schemes-server-container", "Server and key"]]) {
    for (const part of page.querySelectorAll(selector + ":not([role])")) {
      part.setAttribute("role", "region");
      part.setAttribute("aria-label", label);
    }
  }
  for (const example of page.querySelectorAll("pre:not([tabindex])")) example.tabIndex = 0;
  for (const link of page.querySelectorAll(".opblock-summary-control a[href]")) link.removeAttribute("href");
  for (const list of page.querySelectorAll("select:not([aria-label])")) {
    const row = list.closest("tr, label, .content-type-wrapper, .parameters-col_description");
    list.setAttribute("aria-label", list.id === "servers" ? "Server" : row?.textContent?.trim().slice(0, 60) || "Choice");
  }
  for (const field of page.querySelectorAll("input:not([aria-label]), textarea:not([aria-label])")) {
    field.setAttribute("aria-label", field.placeholder || field.closest("tr")?.dataset.paramName || "Value");
  }
};
new MutationObserver(mend).observe(page, { childList: true, subtree: true });
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#swagger-ui", deepLinking: true, persistAuthorization: false, validatorUrl: null });`;

const types: Record<string, string> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

/** Serve GET /openapi.json, and /docs to browse it. All files of the page come from this server. */
export function mountDocs(app: OpenAPIHono<AppEnv>): void {
  let document: string | undefined;
  app.get("/openapi.json", (c) => {
    // Built at the first request, when every feature is mounted.
    document ??= JSON.stringify(describeApi(app));
    return c.body(document, 200, { "content-type": "application/json" });
  });
  const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  for (const path of ["/docs", "/docs/*"]) {
    app.use(path, async (c, next) => {
      for (const [name, value] of Object.entries(securityHeaders)) c.header(name, value);
      await next();
    });
  }
  app.get("/docs", (c) => c.html(page));
  app.get("/docs/style.css", (c) => c.body(docsStyle, 200, { "content-type": "text/css; charset=utf-8" }));
  app.get("/docs/start.js", (c) => c.body(start, 200, { "content-type": "text/javascript; charset=utf-8" }));
  for (const [name, type] of Object.entries(types)) {
    app.get(`/docs/${name}`, async (c) => {
      const bytes = await readFile(join(folder, name));
      return c.body(new Uint8Array(bytes), 200, { "content-type": type, "cache-control": "public, max-age=86400" });
    });
  }
}
