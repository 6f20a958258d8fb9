import { and, asc, eq, gt, inArray, isNull, lte, min } from "drizzle-orm";
import type { Database, Transaction } from "../../../api/platform/db/index.ts";
import type { CallOutcome } from "../partners/partner-api.ts";
import { type AttemptRow, type OrderStatus, payoutAttempts, payoutOrders } from "../tables.ts";

export type AttemptStore = ReturnType<typeof createAttemptStore>;

type Change = Partial<typeof payoutAttempts.$inferInsert>;
export type Ending = { status: "succeeded"; partnerTransaction: string | null } | { status: "failed"; reason: string };

export function createAttemptStore(db: Database) {
  /** Change an attempt that no other process took since, and its order's status. @returns the changed row */
  const change = (row: AttemptRow, values: Change, orderStatus?: OrderStatus, endedAt?: Date) =>
    db.transaction(async (tx: Transaction): Promise<AttemptRow | undefined> => {
      const same = and(
        eq(payoutAttempts.reference, row.reference),
        eq(payoutAttempts.turns, row.turns),
        isNull(payoutAttempts.endedAt),
      );
      const [changed] = await tx.update(payoutAttempts).set(values).where(same).returning();
      if (changed === undefined) return undefined;
      if (orderStatus !== undefined) {
        const order = eq(payoutOrders.paymentId, row.paymentId);
        await tx
          .update(payoutOrders)
          .set({ status: orderStatus, endedAt: endedAt ?? null })
          .where(order);
      }
      return changed;
    });
  return {
    async find(reference: string): Promise<AttemptRow | undefined> {
      return (await db.select().from(payoutAttempts).where(eq(payoutAttempts.reference, reference)))[0];
    },
    /** The attempts of orders, in their order. */
    async of(paymentIds: string[]): Promise<AttemptRow[]> {
      if (paymentIds.length === 0) return [];
      const wanted = inArray(payoutAttempts.paymentId, paymentIds);
      return db
        .select()
        .from(payoutAttempts)
        .where(wanted)
        .orderBy(asc(payoutAttempts.paymentId), asc(payoutAttempts.number));
    },
    /** Attempts that are due, the longest first. */
    due: (now: Date, limit: number): Promise<AttemptRow[]> =>
      db
        .select()
        .from(payoutAttempts)
        .where(and(isNull(payoutAttempts.endedAt), lte(payoutAttempts.nextTryAt, now)))
        .orderBy(asc(payoutAttempts.nextTryAt))
        .limit(limit),
    /** When the next open attempt is due; undefined when none is open. */
    async nextDueAt(): Promise<Date | undefined> {
      const isOpen = isNull(payoutAttempts.endedAt);
      const [next] = await db
        .select({ at: min(payoutAttempts.nextTryAt) })
        .from(payoutAttempts)
        .where(isOpen);
      return next?.at ?? undefined;
    },
    /** Check whether a partner was called for one of these mobile accounts. */
    async areCallsTo(accountIds: string[]): Promise<boolean> {
      if (accountIds.length === 0) return false;
      const called = and(inArray(payoutAttempts.accountId, accountIds), gt(payoutAttempts.calls, 0));
      const found = await db
        .select({ status: payoutAttempts.status })
        .from(payoutAttempts)
        .where(and(called, inArray(payoutAttempts.status, ["sent", "unknown", "succeeded"])))
        .limit(1);
      return found.length > 0;
    },
    /** Take an attempt to ask for its status. @returns undefined when another process has it */
    take: (row: AttemptRow, nextTryAt: Date, askedAt: Date) =>
      change(row, { turns: row.turns + 1, nextTryAt, askedAt }),
    /** Record a call before it is made: from now on, only the partner knows what happened. @returns undefined when another process has it */
    beginCall: (row: AttemptRow, nextTryAt: Date, calledAt: Date) =>
      change(
        row,
        { turns: row.turns + 1, status: "unknown", calls: row.calls + 1, isRefused: false, calledAt, nextTryAt },
        "unknown",
      ),
    recordCall(row: AttemptRow, outcome: CallOutcome, nextTryAt: Date, now: Date) {
      if (outcome.kind === "accepted") {
        return change(row, { status: "sent", sentAt: row.sentAt ?? now, reason: null, nextTryAt }, "sent");
      }
      const notMade = outcome.kind === "uncertain" ? row.notMade : row.notMade + 1;
      const recorded = { notMade, isRefused: outcome.kind === "refused", reason: outcome.reason, nextTryAt };
      const didNothing = outcome.kind === "postponed" && notMade === row.calls;
      return didNothing ? change(row, { ...recorded, status: "prepared" }, "prepared") : change(row, recorded);
    },
    /** Record that the partner has the transfer and has not decided. */
    recordPending: (row: AttemptRow, nextTryAt: Date, now: Date) =>
      change(row, { status: "sent", sentAt: row.sentAt ?? now, reason: null, nextTryAt }, "sent"),
    postpone: (row: AttemptRow, nextTryAt: Date) => change(row, { nextTryAt }),
    end: (row: AttemptRow, ending: Ending, endedAt: Date) =>
      change(row, { reason: null, ...ending, endedAt }, ending.status, endedAt),
    /** Let the open attempt of an order be due now. */
    async lookAgain(paymentId: string, partnerId: string): Promise<void> {
      const isOpen = and(
        eq(payoutAttempts.paymentId, paymentId),
        eq(payoutAttempts.partnerId, partnerId),
        isNull(payoutAttempts.endedAt),
        inArray(payoutAttempts.status, ["sent", "unknown"]),
      );
      await db
        .update(payoutAttempts)
        .set({ nextTryAt: new Date(0) })
        .where(isOpen);
    },
    /** Record what the partner said later of an attempt that failed. @returns false when its order has another attempt or status */
    correct: (row: AttemptRow, status: "succeeded" | "sent", now: Date): Promise<boolean> =>
      db.transaction(async (tx) => {
        const isFailed = and(
          eq(payoutOrders.paymentId, row.paymentId),
          eq(payoutOrders.status, "failed"),
          eq(payoutOrders.attempts, row.number),
        );
        const endedAt = status === "succeeded" ? now : null;
        const taken = await tx
          .update(payoutOrders)
          .set({ status, endedAt })
          .where(isFailed)
          .returning({ id: payoutOrders.paymentId });
        if (taken.length === 0) return false;
        await tx
          .update(payoutAttempts)
          .set({ status, endedAt, nextTryAt: now, turns: row.turns + 1 })
          .where(eq(payoutAttempts.reference, row.reference));
        return true;
      }),
  };
}
