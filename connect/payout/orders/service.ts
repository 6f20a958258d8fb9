import { AppError } from "../../../api/platform/errors.ts";
import {
  decodeTimeCursor,
  type RequestContext,
  requireRole,
  requireRoleOrScope,
  toPage,
} from "../../../api/platform/http/index.ts";
import { changeOnce } from "../../../api/platform/idempotency/index.ts";
import { formatScaled, jsonAmount } from "../../../api/platform/values/numbers.ts";
import { maskNumber } from "../accounts/service.ts";
import type { PayoutDeps } from "../deps.ts";
import { PartnerError } from "../partners/partner-api.ts";
import type { AttemptRow, OrderRow, OrderStatus } from "../tables.ts";
import type { Payout, PayoutQuery, PayoutStatus } from "./schemas.ts";

/** List payouts that the caller may see, newest payment first. @throws AppError FORBIDDEN */
export async function listPayouts(
  deps: PayoutDeps,
  ctx: RequestContext,
  query: PayoutQuery,
): Promise<{ items: Payout[]; nextCursor: string | null }> {
  requireRoleOrScope(ctx.actor, "payouts:read", "supplier", "regulator");
  const filter = {
    supplierDids: visibleSuppliers(ctx, query.supplierDid),
    statuses: query.status === undefined ? undefined : statusesOf(query.status),
    from: query.paidFrom === undefined ? undefined : new Date(query.paidFrom),
    before: query.paidBefore === undefined ? undefined : new Date(query.paidBefore),
  };
  const rows = await deps.orders.list(filter, query.limit, positionIn(query.cursor));
  const { items, nextCursor } = toPage(rows, query.limit, ({ paidAt, paymentId }) => [paidAt.getTime(), paymentId]);
  return { items: await withAttempts(deps, items), nextCursor };
}

/** Read a payout by its payment's id. @throws AppError NOT_FOUND, also for another supplier's */
export async function getPayout(deps: PayoutDeps, ctx: RequestContext, id: string): Promise<Payout> {
  requireRoleOrScope(ctx.actor, "payouts:read", "supplier", "regulator");
  const row = await deps.orders.find(id);
  const visible = ownSuppliers(ctx);
  if (row === undefined || (visible !== undefined && !visible.includes(row.supplierDid))) throw unknown(id);
  const [payout] = await withAttempts(deps, [row]);
  return payout as Payout;
}

/**
 * Let a failed payout be tried again, with a new reference. The partner is asked once more whether the last attempt really failed.
 * @throws AppError NOT_FOUND; CONFLICT when it has not failed, UPSTREAM when the partner does not say
 */
export async function retryPayout(deps: PayoutDeps, ctx: RequestContext, id: string): Promise<Payout> {
  requireRole(ctx.actor, "admin");
  await changeOnce(deps.host.db, ctx, async () => {
    const order = await deps.orders.find(id);
    if (order === undefined) throw unknown(id);
    if (order.status !== "failed")
      throw notFailed(`The payout is ${statusOf(order.status)}; only a failed one can be tried again.`);
    const last = (await deps.attempts.of([id])).at(-1);
    if (last !== undefined) await requireStillFailed(deps, last);
    return async (tx) => {
      if (await deps.orders.reopen(tx, order, deps.host.clock.now())) return id;
      throw notFailed("Somebody else let it be tried again.");
    };
  });
  deps.nudge();
  return getPayout(deps, ctx, id);
}

async function requireStillFailed(deps: PayoutDeps, last: AttemptRow): Promise<void> {
  const partner = await deps.partners.find(last.partnerId);
  if (partner === undefined) throw new Error(`There is no payout partner ${last.partnerId}.`);
  const now = deps.host.clock.now();
  try {
    const status = await deps.apis.of(partner).status(last.reference, AbortSignal.timeout(20_000));
    if (status.kind === "failed" || status.kind === "not-found") return;
    const isPaid = status.kind === "succeeded";
    await deps.attempts.correct(last, isPaid ? "succeeded" : "sent", now);
    throw notFailed(isPaid ? "The partner says now that it paid." : "The partner says now that it has not decided.");
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    throw new AppError("UPSTREAM", `${error.message} Try again later.`, { cause: error });
  }
}

function notFailed(message: string): AppError {
  return new AppError("CONFLICT", message, { details: [{ rule: "payout-failed", message }] });
}

function unknown(id: string): AppError {
  return new AppError("NOT_FOUND", `There is no payout ${id}.`);
}

/** The suppliers whose payouts the caller sees; undefined for all. */
function ownSuppliers({ actor }: RequestContext): string[] | undefined {
  if (actor.role === "supplier") return actor.supplierDid === undefined ? [] : [actor.supplierDid];
  return actor.role === "integrator" ? (actor.dids ?? undefined) : undefined;
}

/** @throws AppError FORBIDDEN for another supplier than the caller's */
function visibleSuppliers(ctx: RequestContext, wanted: string | undefined): string[] | undefined {
  const own = ownSuppliers(ctx);
  if (wanted === undefined) return own;
  if (own === undefined || own.includes(wanted)) return [wanted];
  const message = `This key may not act for ${wanted}.`;
  throw new AppError("FORBIDDEN", message, { details: [{ path: "supplierDid", rule: "own-identity", message }] });
}

function positionIn(cursor: string | undefined): { paidAt: Date; paymentId: string } | undefined {
  const position = decodeTimeCursor(cursor);
  return position && { paidAt: position.at, paymentId: position.id };
}

/** A prepared order still waits. */
export function statusOf(status: OrderStatus): PayoutStatus {
  return status === "prepared" ? "waiting" : status;
}

function statusesOf(status: PayoutStatus): OrderStatus[] {
  return status === "waiting" ? ["waiting", "prepared"] : [status];
}

async function withAttempts(deps: PayoutDeps, rows: OrderRow[]): Promise<Payout[]> {
  const attempts = Map.groupBy(await deps.attempts.of(rows.map(({ paymentId }) => paymentId)), (row) => row.paymentId);
  return rows.map((row) => serialize(deps, row, attempts.get(row.paymentId) ?? []));
}

function serialize(deps: PayoutDeps, row: OrderRow, attempts: AttemptRow[]): Payout {
  return {
    id: row.paymentId,
    claimId: row.claimId,
    supplierDid: row.supplierDid,
    status: statusOf(row.status),
    waitsFor: row.waitsFor,
    stablecoin: jsonAmount(row.stablecoin),
    rate: row.rate === null ? null : jsonAmount(row.rate),
    amount: row.amount === null ? null : jsonAmount(row.amount),
    currency: row.currency,
    remainder: row.remainder === null ? null : formatScaled(row.remainder, 12),
    account: row.account,
    transactionHash: row.transactionHash,
    blockNumber: row.blockNumber,
    paidAt: row.paidAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    attempts: attempts.map((each) => serializeAttempt(deps, each)),
  };
}

function serializeAttempt({ box }: PayoutDeps, row: AttemptRow): Payout["attempts"][number] {
  const { reference, number, partnerId, status, reason, partnerTransaction } = row;
  const { createdAt, calledAt, sentAt, askedAt, endedAt } = row;
  return {
    reference,
    number,
    partnerId,
    account: maskNumber(box.open(row.sealedNumber)),
    status,
    reason,
    partnerTransaction,
    preparedAt: createdAt.toISOString(),
    calledAt: calledAt?.toISOString() ?? null,
    sentAt: sentAt?.toISOString() ?? null,
    askedAt: askedAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
  };
}
