import { createRoute, type OpenAPIHono, type RouteConfig, type z } from "@hono/zod-openapi";
import {
  createRouter,
  type ErrorStatus,
  errorResponses,
  jsonContent,
  type RouteOptions,
} from "../../platform/http/index.ts";
import type { FileEnv } from "./env.ts";

/** Path prefix of the file store's routes. */
export const base = "/api/fs";

/**
 * Declare a route of the file store, for the OpenAPI document and the router. It takes a capability token but no Idempotency-Key,
 * because stored responses would outlive a purge. A client can simply repeat a write: writing the same bytes again changes
 * nothing.
 */
export function fileRoute<P extends string, R extends Omit<RouteConfig & RouteOptions, "path"> & { path: P }>(
  route: R,
) {
  return createRoute({ tags: ["Files"], security: [{ ucan: [] }], ...route });
}

/** Create a router for handlers that run after requireToken. */
export function fileRouter(): OpenAPIHono<FileEnv> {
  return createRouter<FileEnv>({ base, idempotent: false });
}

/** Describe the responses of a route: one record or page, or an error. */
export function respondsWith<T extends z.ZodType, S extends ErrorStatus>(
  description: string,
  schema: T,
  ...errors: S[]
) {
  return { 200: { description, content: jsonContent(schema) }, ...errorResponses(...errors) };
}

/** Describe a body of any bytes. */
export function rawBody() {
  const schema = { type: "string" as const, format: "binary" };
  return { required: true, content: { "application/octet-stream": { schema } } };
}

/** Describe a response of any bytes, with the headers that identify them. */
export function rawResponse(description: string) {
  const schema = { type: "string" as const, format: "binary" };
  const text = (about: string) => ({ description: about, schema: { type: "string" as const } });
  return {
    description,
    content: { "application/octet-stream": { schema } },
    headers: {
      ETag: text('`"<cid>"`'),
      "x-vfs-cid": text("CID of these bytes"),
      "x-vfs-content-hash": text("`sha256-` and the base64 of their SHA-256"),
      "x-vfs-version": text("Version of these bytes"),
    },
  };
}
