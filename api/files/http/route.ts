import { createRoute, type OpenAPIHono, type RouteConfig, type z } from "@hono/zod-openapi";
import { type ErrorStatus, errorAnswers, jsonContent } from "../../platform/http/openapi.ts";
import { createRouter, type RouteOptions } from "../../platform/http/router.ts";
import type { FileEnv } from "./env.ts";

/** Path prefix of the file store's routes. */
export const base = "/api/fs";

/**
 * A route of the file store, for the document and the router. It takes a capability token and no Idempotency-Key: the stored responses
 * would outlive a purge. A write can simply be repeated, because the same bytes again change nothing.
 */
export function fileRoute<P extends string, R extends Omit<RouteConfig & RouteOptions, "path"> & { path: P }>(
  route: R,
) {
  return createRoute({ tags: ["Files"], security: [{ ucan: [] }], ...route });
}

/** A router whose handlers run behind requireToken. */
export function fileRouter(): OpenAPIHono<FileEnv> {
  // The router itself reads nothing of `access`.
  return createRouter({ base, idempotent: false }) as unknown as OpenAPIHono<FileEnv>;
}

/** The responses of a route that answers with one record or page, or with an error. */
export function respondsWith<T extends z.ZodType, S extends ErrorStatus>(
  description: string,
  schema: T,
  ...errors: S[]
) {
  return { 200: { description, content: jsonContent(schema) }, ...errorAnswers(...errors) };
}

/** A body of any bytes. */
export function rawBody() {
  const schema = { type: "string" as const, format: "binary" };
  return { required: true, content: { "application/octet-stream": { schema } } };
}

/** A response of any bytes, with the headers that name them. */
export function rawResponse(description: string) {
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
