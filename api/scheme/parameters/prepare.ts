import { z } from "@hono/zod-openapi";
import { requireRole } from "../../platform/http/index.ts";
import { type PrepareAction, prepareAction, unsignedTransaction } from "../../platform/transactions/index.ts";
import { account } from "../../platform/values/text.ts";
import { newParameter } from "./schemas.ts";
import { entryOf, type ParameterDeps } from "./service.ts";

const set = newParameter
  .extend({
    action: z.literal("parameter-set"),
    account: account.openapi({ description: "The registrar's account, which signs." }),
  })
  .strict();

/** Define the action by which a registrar's own account records a parameter. */
export function parameterActions(deps: ParameterDeps): PrepareAction[] {
  return [
    prepareAction(set, async (ctx, { action: _, account: from, ...input }) => {
      requireRole(ctx.actor, "regulator");
      return unsignedTransaction(deps.chain, {
        from,
        contract: "parameters",
        functionName: "set",
        args: [await entryOf(deps, input)],
      });
    }),
  ];
}
