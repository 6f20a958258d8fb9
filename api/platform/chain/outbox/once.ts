import type { RequestContext } from "../../http/index.ts";
import type { Chain } from "../chain.ts";
import type { MinedCall } from "./outbox.ts";

/**
 * Make a write, or return the outcome of an earlier attempt of the same request that has sent it. Put checks of the current state
 * into `make`: otherwise a repeat fails the checks because of what the interrupted attempt has changed.
 */
export async function once<T extends MinedCall | null>(
  { chain }: { chain: Chain },
  ctx: Pick<RequestContext, "idempotencyKey">,
  make: () => Promise<T>,
): Promise<T | MinedCall> {
  return await chain.outbox.once(ctx.idempotencyKey, make);
}
