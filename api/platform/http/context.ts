import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { HttpPlatform } from "./http-platform.ts";
import type { Actor, RequestContext } from "./request-context.ts";

export type AppEnv = {
  /** Never set by a request: what this process itself asks its own app says here who acts. */
  Bindings: { inside?: { actor: Actor } };
  Variables: {
    requestId: string;
    platform: HttpPlatform;
    /** Set on every route below /v1. */
    actor: Actor;
    /** Set when the request carries an Idempotency-Key: the record that an outbox row can bind to. */
    idempotencyKey?: string;
    /** The request's body as it came, on routes that declare one. */
    bodyBytes?: Uint8Array;
    /** The body's JSON before its schema read it, on routes that declare one; numbers are LosslessNumber. */
    bodyJson?: unknown;
  };
};

/** The whole app, or the routes of one feature. */
export type App = OpenAPIHono<AppEnv>;

/** What a route hands to its service. */
export function requestContext(c: Context<AppEnv>): RequestContext {
  const idempotencyKey = c.get("idempotencyKey");
  const base = { actor: c.get("actor"), requestId: c.get("requestId") };
  return idempotencyKey === undefined ? base : { ...base, idempotencyKey };
}
