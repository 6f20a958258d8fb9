import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../../platform/http/index.ts";
import { type StartedOperation, startedOperation } from "../../platform/operations/index.ts";

export const tags = ["Registry"];

export function jsonContent<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { "application/json": { schema } } };
}

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { required: true, content: { "application/json": { schema } } };
}

export const accepted = jsonContent(startedOperation, "Accepted; the operation reports progress");

export function respondAccepted(c: Context<AppEnv>, operation: StartedOperation) {
  c.header("Location", operation.url);
  return c.json(operation, 202);
}
