import { type Context, ponder } from "ponder:registry";
import { scheme, voucher } from "ponder:schema";
import { and, eq, lt } from "ponder";
import { dayOf } from "./days.ts";
import { schemeKey, setScheme } from "./scheme.ts";

type Handled = { event: { block: { timestamp: bigint } }; context: Context };

/**
 * Register a handler, as Ponder's `on` does. The first event of a day marks the vouchers whose last day is over, before the handler
 * runs: a voucher expires without an event.
 */
export const on: typeof ponder.on = (name, handle) =>
  ponder.on(name, async (handled) => {
    await expireVouchers(handled);
    await (handle as (handled: Handled) => Promise<void>)(handled);
  });

/** Mark the vouchers that expired before the event's day. Does nothing for further events of the same day. */
export async function expireVouchers({ event, context: { db } }: Handled): Promise<void> {
  const day = dayOf(event.block.timestamp);
  const known = await db.find(scheme, schemeKey);
  if (known !== null && known.day !== null && known.day >= day) return;
  await setScheme(db, { day });
  await db.sql
    .update(voucher)
    .set({ status: "expired" })
    .where(and(eq(voucher.status, "active"), lt(voucher.expiryDay, day)));
}
