import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { HttpPlatform } from "./http-platform.ts";
import type { Actor, RequestContext } from "./request-context.ts";

export type AppEnv = {
  /** Set only on requests that this process makes to its own app: the actor. A client cannot set it. */
  Bindings: { inside?: { actor: Actor } };
  Variables: {
    requestId: string;
    platform: HttpPlatform;
    /** Set on every route below /v1. */
    actor: Actor;
    /** Set when the request has an Idempotency-Key: the id of its record, to which an outbox row can refer. */
    idempotencyKey?: string;
    /** The request's raw body, on routes that declare one. */
    bodyBytes?: Uint8Array;
    /** The body's JSON before its schema parsed it, on routes that declare one. Numbers are LosslessNumber. */
    bodyJson?: unknown;
  };
};

/** The whole app, or the routes of one feature. */
export type App = OpenAPIHono<AppEnv>;

/** Build the request context that a route passes to its service. */
export function requestContext(c: Context<AppEnv>): RequestContext {
  const idempotencyKey = c.get("idempotencyKey");
  const base = { actor: c.get("actor"), requestId: c.get("requestId") };
  return idempotencyKey === undefined ? base : { ...base, idempotencyKey };
}
