import { z } from "@hono/zod-openapi";
import { type RequestContext, requireScope } from "../http/index.ts";
import type { PrepareAction } from "./action.ts";
import type { Prepared } from "./schemas.ts";

export const PREPARE_SCOPE = "transactions:prepare";

/** Build the schema of the body of `POST /v1/transactions/prepare`: one of the registered actions. */
export function prepareRequestOf(actions: readonly PrepareAction[]) {
  const requests = actions.map(({ request }) => request) as [z.ZodObject, ...z.ZodObject[]];
  return z.discriminatedUnion("action", requests).openapi("PrepareRequest");
}

/**
 * Prepare what an account's holder signs: an unsigned transaction, or EIP-712 typed data.
 * @throws AppError as the action itself would
 */
export async function prepare(
  actions: readonly PrepareAction[],
  ctx: RequestContext,
  input: Record<string, unknown>,
): Promise<Prepared> {
  requireScope(ctx.actor, PREPARE_SCOPE);
  const chosen = actions.find(({ request }) => request.shape.action?.safeParse(input.action).success);
  if (chosen === undefined) throw new Error(`Nothing prepares the action ${String(input.action)}.`);
  return await chosen.prepare(ctx, input as never);
}
