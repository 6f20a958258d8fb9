import type { RequestContext } from "../http/index.ts";
import type { Chain } from "./chain.ts";
import type { MinedCall } from "./outbox.ts";

/**
 * Make a write, unless an earlier attempt of the same request has sent it: then return that attempt's outcome. Put checks of the
 * current state into `make`: an attempt that was cut off would otherwise fail the checks of its own repetition.
 */
export async function once<T extends MinedCall | null>(
  { chain }: { chain: Chain },
  ctx: Pick<RequestContext, "idempotencyKey">,
  make: () => Promise<T>,
): Promise<T | MinedCall> {
  return (await chain.outbox.earlierOutcome(ctx.idempotencyKey))?.mined ?? (await make());
}
