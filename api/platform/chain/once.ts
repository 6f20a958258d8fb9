import type { Database } from "../db/index.ts";
import type { RequestContext } from "../http/index.ts";
import type { Chain } from "./chain.ts";
import type { MinedCall } from "./outbox.ts";
import { findByIdempotencyKey } from "./outbox-store.ts";

/**
 * Makes a write, unless an earlier attempt of the same idempotent request has sent it: then that one's outcome. `make` checks what
 * stands against the write; without this an attempt that was cut off would stand against its own repetition.
 */
export async function once<T extends MinedCall | null>(
  deps: { chain: Chain; db: Database },
  ctx: RequestContext,
  make: () => Promise<T>,
): Promise<T | MinedCall> {
  const { chain, db } = deps;
  const known = ctx.idempotencyKey === undefined ? undefined : await findByIdempotencyKey(db, ctx.idempotencyKey);
  return known === undefined ? await make() : await chain.outbox.outcome(known.transaction);
}
