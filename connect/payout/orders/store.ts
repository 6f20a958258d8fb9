import { and, asc, desc, eq, gte, inArray, lt, lte, min, or, type SQL } from "drizzle-orm";
import type { Database, Transaction } from "../../../api/platform/db/index.ts";
import {
  type AttemptRow,
  type OrderRow,
  type OrderStatus,
  payoutAttempts,
  payoutOrders,
  type WaitReason,
} from "../tables.ts";

export type OrderStore = ReturnType<typeof createOrderStore>;

/** What a list shows. `supplierDids` undefined: of all suppliers. */
export type OrderFilter = {
  supplierDids?: string[] | undefined;
  statuses?: OrderStatus[] | undefined;
  from?: Date | undefined;
  before?: Date | undefined;
};

/** The rate of an order and what results from it. */
export type Price = Pick<OrderRow, "currency" | "rateId" | "rate" | "amount" | "remainder">;

export function createOrderStore(db: Database) {
  const filtered = ({ supplierDids, statuses, from, before }: OrderFilter): SQL | undefined =>
    and(
      supplierDids === undefined ? undefined : inArray(payoutOrders.supplierDid, supplierDids),
      statuses === undefined ? undefined : inArray(payoutOrders.status, statuses),
      from === undefined ? undefined : gte(payoutOrders.paidAt, from),
      before === undefined ? undefined : lt(payoutOrders.paidAt, before),
    );
  return {
    /** Add orders; an order of a payment that has one stays as it is. @returns how many are new */
    async addNew(rows: OrderRow[]): Promise<number> {
      if (rows.length === 0) return 0;
      const added = await db
        .insert(payoutOrders)
        .values(rows)
        .onConflictDoNothing()
        .returning({ id: payoutOrders.paymentId });
      return added.length;
    },
    async find(paymentId: string): Promise<OrderRow | undefined> {
      return (await db.select().from(payoutOrders).where(eq(payoutOrders.paymentId, paymentId)))[0];
    },
    /** Newest payment first, after the given position: one more than `limit`, to show whether a page follows. */
    list: (filter: OrderFilter, limit: number, after?: { paidAt: Date; paymentId: string }): Promise<OrderRow[]> =>
      db
        .select()
        .from(payoutOrders)
        .where(
          and(
            filtered(filter),
            after &&
              or(
                lt(payoutOrders.paidAt, after.paidAt),
                and(eq(payoutOrders.paidAt, after.paidAt), lt(payoutOrders.paymentId, after.paymentId)),
              ),
          ),
        )
        .orderBy(desc(payoutOrders.paidAt), desc(payoutOrders.paymentId))
        .limit(limit + 1),
    /** Waiting orders that are due, oldest first. */
    due: (now: Date, limit: number): Promise<OrderRow[]> =>
      db
        .select()
        .from(payoutOrders)
        .where(and(eq(payoutOrders.status, "waiting"), lte(payoutOrders.nextTryAt, now)))
        .orderBy(asc(payoutOrders.nextTryAt), asc(payoutOrders.paidAt))
        .limit(limit),
    /** When the next waiting order is due; undefined when none waits. */
    async nextDueAt(): Promise<Date | undefined> {
      const isWaiting = eq(payoutOrders.status, "waiting");
      const [next] = await db
        .select({ at: min(payoutOrders.nextTryAt) })
        .from(payoutOrders)
        .where(isWaiting);
      return next?.at ?? undefined;
    },
    /** Look at waiting orders again now: of one supplier, or all. */
    async lookAgain(supplierDid?: string): Promise<void> {
      const wanted = supplierDid === undefined ? undefined : eq(payoutOrders.supplierDid, supplierDid);
      await db
        .update(payoutOrders)
        .set({ nextTryAt: new Date(0) })
        .where(and(eq(payoutOrders.status, "waiting"), wanted));
    },
    /** Record why a waiting order waits. */
    async postpone(paymentId: string, waitsFor: WaitReason, nextTryAt: Date): Promise<void> {
      const isWaiting = and(eq(payoutOrders.paymentId, paymentId), eq(payoutOrders.status, "waiting"));
      await db.update(payoutOrders).set({ waitsFor, nextTryAt }).where(isWaiting);
    },
    /**
     * Store an attempt with its reference, and the order's price, in one transaction.
     * @returns false when another process did it, or the order is no longer waiting
     */
    prepare: (order: OrderRow, price: Price, attempt: AttemptRow): Promise<boolean> =>
      db.transaction(async (tx) => {
        const same = and(
          eq(payoutOrders.paymentId, order.paymentId),
          eq(payoutOrders.status, "waiting"),
          eq(payoutOrders.attempts, order.attempts),
        );
        const taken = await tx
          .update(payoutOrders)
          .set({ ...price, attempts: attempt.number, waitsFor: null, status: "prepared" })
          .where(same)
          .returning({ id: payoutOrders.paymentId });
        if (taken.length === 0) return false;
        await tx.insert(payoutAttempts).values(attempt);
        return true;
      }),
    /** Orders that failed since a time, of one supplier or of all. */
    failedSince: (supplierDid: string | undefined, since: Date): Promise<OrderRow[]> =>
      db
        .select()
        .from(payoutOrders)
        .where(
          and(
            eq(payoutOrders.status, "failed"),
            gte(payoutOrders.endedAt, since),
            supplierDid === undefined ? undefined : eq(payoutOrders.supplierDid, supplierDid),
          ),
        )
        .orderBy(desc(payoutOrders.endedAt))
        .limit(500),
    /** Let a failed order wait for a new attempt. @returns false when it is not failed, or has another attempt */
    async reopen(tx: Transaction, { paymentId, attempts }: OrderRow, now: Date): Promise<boolean> {
      const isFailed = and(
        eq(payoutOrders.paymentId, paymentId),
        eq(payoutOrders.status, "failed"),
        eq(payoutOrders.attempts, attempts),
      );
      const change = { status: "waiting" as const, nextTryAt: now, endedAt: null };
      return (
        (await tx.update(payoutOrders).set(change).where(isFailed).returning({ id: payoutOrders.paymentId })).length ===
        1
      );
    },
  };
}
