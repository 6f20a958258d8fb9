import type { z } from "@hono/zod-openapi";
import type { RequestContext } from "../http/index.ts";
import type { Prepared } from "./schemas.ts";

/** Something that the holder of an account signs, as `POST /v1/transactions/prepare` offers it. Features register theirs. */
export type PrepareAction = {
  /** The request's body; its `action` is a literal that no other action has. */
  request: z.ZodObject;
  prepare: (ctx: RequestContext, input: never) => Promise<Prepared>;
};

/** Pair a request's schema with what prepares it, so that the compiler compares both. */
export function prepareAction<S extends z.ZodObject>(
  request: S,
  prepare: (ctx: RequestContext, input: z.infer<S>) => Promise<Prepared>,
): PrepareAction {
  return { request, prepare };
}
