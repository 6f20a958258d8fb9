import { createRoute, type OpenAPIHono, type RouteConfig, type z } from "@hono/zod-openapi";
import type { AppEnv } from "../../platform/http/context.ts";
import { type ErrorStatus, errorAnswers, jsonContent } from "../../platform/http/openapi.ts";
import { createRouter, type RouteOptions } from "../../platform/http/router.ts";

/** Where the file store's routes lie. */
export const base = "/api/fs";

/**
 * A route of the file store for the document and the router: with a capability token, and without Idempotency-Key, whose records
 * would keep what a purge must end. Writing the same bytes again changes nothing, so a write may simply be repeated.
 */
export function fileRoute<P extends string, R extends Omit<RouteConfig & RouteOptions, "path"> & { path: P }>(
  route: R,
) {
  return createRoute({ tags: ["Files"], security: [{ ucan: [] }], ...route });
}

export function fileRouter(): OpenAPIHono<AppEnv> {
  return createRouter({ base, idempotent: false });
}

/** The answers of a route that gives one record or page, or refuses. */
export function answered<T extends z.ZodType, S extends ErrorStatus>(description: string, schema: T, ...refusals: S[]) {
  return { 200: { description, content: jsonContent(schema) }, ...errorAnswers(...refusals) };
}

/** A body of any bytes. */
export function rawBody() {
  const schema = { type: "string" as const, format: "binary" };
  return { required: true, content: { "application/octet-stream": { schema } } };
}

/** An answer of any bytes, with the headers that name them. */
export function rawAnswer(description: string) {
  const schema = { type: "string" as const, format: "binary" };
  const text = (about: string) => ({ description: about, schema: { type: "string" as const } });
  return {
    description,
    content: { "application/octet-stream": { schema } },
    headers: {
      ETag: text('`"<cid>"`'),
      "x-vfs-cid": text("CID of these bytes"),
      "x-vfs-content-hash": text("`sha256-` and the base64 of their hash"),
      "x-vfs-version": text("The version that they are"),
    },
  };
}
