import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { etag } from "hono/etag";
import { z } from "zod";
import { AppError } from "../../platform/errors.ts";
import { type AppEnv, createRouter, errorResponses, limitAddress } from "../../platform/http/index.ts";
import type { CredentialDeps } from "./deps.ts";
import { listTtlMs } from "./status-lists.ts";

const mediaType = "application/vc+jwt";

const read = createRoute({
  method: "get",
  path: "/status-lists/{list}",
  tags: ["Credentials"],
  security: [],
  summary: "Read which credentials are revoked",
  description:
    "A BitstringStatusListCredential as compact VC-JWT, signed by this service. Takes `If-None-Match`; may be kept for a minute.",
  request: { params: z.object({ list: z.string().regex(/^[1-9]\d{0,8}$/, "The number of a list is expected.") }) },
  middleware: [limitAddress(), etag()] as const,
  responses: {
    200: { description: "The list's credential", content: { [mediaType]: { schema: z.string() } } },
    304: { description: "It is that of If-None-Match" },
    ...errorResponses(404),
  },
});

export function credentialRoutes(deps: CredentialDeps): OpenAPIHono<AppEnv> {
  return createRouter().openapi(read, async (c) => {
    const list = await deps.credentials.statusLists.read(Number(c.req.valid("param").list));
    if (list === undefined) throw new AppError("NOT_FOUND", "There is no status list of that number.");
    return c.body(list.jwt, 200, {
      "Content-Type": mediaType,
      "Cache-Control": `public, max-age=${listTtlMs / 1000}`,
      ETag: list.etag,
    });
  });
}
