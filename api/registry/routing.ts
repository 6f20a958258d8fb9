import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv, ServiceContext } from "../http/context.ts";
import { type StartedOperation, startedOperation } from "../operations/schemas.ts";

export const tags = ["Registry"];

/** What a service needs of a request. */
export function contextOf(c: Context<AppEnv>): ServiceContext {
  return {
    deps: c.var.deps,
    actor: c.var.actor,
    requestId: c.var.requestId,
    ...(c.var.idempotencyId === undefined ? {} : { idempotencyId: c.var.idempotencyId }),
  };
}

export function jsonContent<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { "application/json": { schema } } };
}

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { required: true, content: { "application/json": { schema } } };
}

export const accepted = jsonContent(startedOperation, "Accepted; the operation reports progress");

export function answerAccepted(c: Context<AppEnv>, operation: StartedOperation) {
  c.header("Location", operation.url);
  return c.json(operation, 202);
}
