import type { z } from "@hono/zod-openapi";
import type { RequestContext } from "../http/index.ts";
import type { Prepared } from "./schemas.ts";

/** An action of `POST /v1/transactions/prepare`, which an account's holder signs. Features register their actions. */
export type PrepareAction = {
  /** Schema of the request's body; its `action` is a literal that is unique. */
  request: z.ZodObject;
  prepare: (ctx: RequestContext, input: never) => Promise<Prepared>;
};

/** Pair a request's schema with the function that prepares it, so that the compiler compares their types. */
export function prepareAction<S extends z.ZodObject>(
  request: S,
  prepare: (ctx: RequestContext, input: z.infer<S>) => Promise<Prepared>,
): PrepareAction {
  return { request, prepare };
}
