import {
  decodeCursor,
  type RequestContext,
  requireRole,
  requireRoleOrScope,
  toPage,
} from "../../../api/platform/http/index.ts";
import { changeOnce } from "../../../api/platform/idempotency/index.ts";
import { newId } from "../../../api/platform/new-id.ts";
import { jsonAmount } from "../../../api/platform/values/numbers.ts";
import type { PayoutDeps } from "../deps.ts";
import type { RateRow } from "../tables.ts";
import type { NewRate, Rate, RateQuery } from "./schemas.ts";

/** Record an exchange rate. It is in force from now on for orders without a rate. @throws AppError FORBIDDEN */
export async function recordRate(deps: PayoutDeps, ctx: RequestContext, input: NewRate): Promise<Rate> {
  requireRole(ctx.actor, "admin");
  const id = await changeOnce(deps.host.db, ctx, async () => async (tx) => {
    const recordedAt = deps.host.clock.now();
    const row: RateRow = { id: newId(recordedAt), ...input, recordedBy: ctx.actor.keyId, recordedAt };
    await deps.rates.add(row, tx);
    return row.id;
  });
  const row = await deps.rates.find(id);
  if (row === undefined) throw new Error(`The rate ${id} is not stored.`);
  await deps.orders.lookAgain();
  deps.nudge();
  return serialize(row);
}

/** List rates, newest first. @throws AppError FORBIDDEN */
export async function listRates(
  deps: PayoutDeps,
  ctx: RequestContext,
  { limit, cursor, currency }: RateQuery,
): Promise<{ items: Rate[]; nextCursor: string | null }> {
  requireRoleOrScope(ctx.actor, "payouts:read", "supplier", "regulator");
  const after = decodeCursor(cursor)?.[0];
  const rows = await deps.rates.list(limit, currency, after === undefined ? undefined : String(after));
  const { items, nextCursor } = toPage(rows, limit, ({ id }) => [id]);
  return { items: items.map(serialize), nextCursor };
}

function serialize({ id, currency, rate, recordedBy, recordedAt }: RateRow): Rate {
  return { id, currency, rate: jsonAmount(rate), recordedBy, recordedAt: recordedAt.toISOString() };
}
