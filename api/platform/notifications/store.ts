import { and, asc, desc, eq, exists, inArray, isNotNull, isNull, lt, lte, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/index.ts";
import { type NewNotice, type NoticeRow, notices, notificationSubscriptions, type SubscriptionRow } from "./tables.ts";
import type { Change } from "./topics.ts";

const subscriptions = notificationSubscriptions;
const SUBSCRIPTIONS_AT_ONCE = 20;

/** A change to the notices of one subscription. */
export type NoticeChange = { subscriptionId: string; change: Change };

export function openNotificationStore(db: Database) {
  return {
    /** Insert a subscription with its first notices; false when the key has one for that address already. */
    insert(row: typeof subscriptions.$inferInsert, first: NewNotice[]): Promise<boolean> {
      return db.transaction(async (tx) => {
        const inserted = await tx.insert(subscriptions).values(row).onConflictDoNothing().returning();
        if (inserted.length === 0) return false;
        if (first.length > 0) await tx.insert(notices).values(first);
        return true;
      });
    },
    async find(id: string): Promise<SubscriptionRow | undefined> {
      return (await db.select().from(subscriptions).where(eq(subscriptions.id, id)))[0];
    },
    async findByAddress(keyId: string, addressHash: string): Promise<SubscriptionRow | undefined> {
      const own = and(eq(subscriptions.keyId, keyId), eq(subscriptions.addressHash, addressHash));
      return (await db.select().from(subscriptions).where(own))[0];
    },
    listOf(keyId: string): Promise<SubscriptionRow[]> {
      return db
        .select()
        .from(subscriptions)
        .where(eq(subscriptions.keyId, keyId))
        .orderBy(asc(subscriptions.createdAt), asc(subscriptions.id));
    },
    /** Count how often the owner of an address was asked to confirm it and has not. */
    countUnconfirmed(addressHash: string): Promise<number> {
      return db.$count(
        subscriptions,
        and(eq(subscriptions.addressHash, addressHash), isNull(subscriptions.confirmedAt)),
      );
    },
    active(): Promise<SubscriptionRow[]> {
      return db.select().from(subscriptions).where(eq(subscriptions.status, "active"));
    },
    async change(id: string, values: Partial<SubscriptionRow>): Promise<void> {
      await db.update(subscriptions).set(values).where(eq(subscriptions.id, id));
    },
    /** Mark an address as confirmed, from a block on; false when it is not waiting for that. */
    async confirm(id: string, { throughBlock, now }: { throughBlock: bigint; now: Date }): Promise<boolean> {
      const open = and(eq(subscriptions.id, id), eq(subscriptions.status, "unconfirmed"));
      const changed = await db
        .update(subscriptions)
        .set({ status: "active", throughBlock, confirmedAt: now })
        .where(open)
        .returning({ id: subscriptions.id });
      return changed.length > 0;
    },
    /** Delete a subscription with its address and notices. One that was never confirmed still counts for two days. */
    async remove(id: string): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.delete(subscriptions).where(and(eq(subscriptions.id, id), isNotNull(subscriptions.confirmedAt)));
        await tx
          .update(subscriptions)
          .set({ status: "withdrawn", sealedAddress: "", keyId: `withdrawn ${id}` })
          .where(eq(subscriptions.id, id));
        await tx.delete(notices).where(eq(notices.subscriptionId, id));
      });
    },
    /** Store changes together with the progress, in their order. An event that has a notice keeps it. */
    async save(changes: NoticeChange[], through: { ids: string[]; block: bigint }): Promise<void> {
      await db.transaction(async (tx) => {
        for (const { subscriptionId, change } of changes) await apply(tx, subscriptionId, change);
        await tx
          .update(subscriptions)
          .set({ throughBlock: through.block })
          .where(inArray(subscriptions.id, through.ids));
      });
    },
    /** Add notices that come from elsewhere than events; those that exist stay. @returns whether there was a new one */
    async add(rows: NewNotice[]): Promise<boolean> {
      if (rows.length === 0) return false;
      const added = await db.insert(notices).values(rows).onConflictDoNothing().returning({ id: notices.id });
      return added.length > 0;
    },
    /** Claim subscriptions that have something due, until `leaseUntil`. Two processes never get the same one. */
    takeDue(now: Date, leaseUntil: Date): Promise<SubscriptionRow[]> {
      const isDue = and(eq(notices.subscriptionId, subscriptions.id), isNull(notices.sentAt), lte(notices.dueAt, now));
      const due = db
        .select({ id: subscriptions.id })
        .from(subscriptions)
        .where(
          and(
            inArray(subscriptions.status, ["unconfirmed", "active"]),
            lte(subscriptions.nextAttemptAt, now),
            exists(db.select({ one: sql`1` }).from(notices).where(isDue)),
          ),
        )
        .orderBy(asc(subscriptions.nextAttemptAt))
        .limit(SUBSCRIPTIONS_AT_ONCE)
        .for("update", { skipLocked: true });
      return db
        .update(subscriptions)
        .set({ nextAttemptAt: leaseUntil, attempts: sql`${subscriptions.attempts} + 1` })
        .where(inArray(subscriptions.id, due))
        .returning();
    },
    /** Read what is due to one subscription, newest first. */
    due(subscriptionId: string, now: Date, limit: number): Promise<NoticeRow[]> {
      const isDue = and(eq(notices.subscriptionId, subscriptionId), isNull(notices.sentAt), lte(notices.dueAt, now));
      return db.select().from(notices).where(isDue).orderBy(desc(notices.id)).limit(limit);
    },
    /** Mark notices as sent; the subscription gets its next message at `next` or later. */
    async sent(subscriptionId: string, ids: number[], { now, next }: { now: Date; next: Date }): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.update(notices).set({ sentAt: now }).where(inArray(notices.id, ids));
        await tx
          .update(subscriptions)
          .set({ attempts: 0, lastError: null, nextAttemptAt: next })
          .where(eq(subscriptions.id, subscriptionId));
      });
    },
    /** Delete notices that were sent before a time, and addresses that nobody confirmed since a time. */
    async prune(before: { sent: Date; unconfirmed: Date }): Promise<void> {
      await db.delete(notices).where(and(isNotNull(notices.sentAt), lt(notices.sentAt, before.sent)));
      await db
        .delete(subscriptions)
        .where(and(isNull(subscriptions.confirmedAt), lt(subscriptions.createdAt, before.unconfirmed)));
    },
    /** Count the subscriptions of a key. */
    countOf(keyId: string): Promise<number> {
      return db.$count(subscriptions, eq(subscriptions.keyId, keyId));
    },
  };
}
export type NotificationStore = ReturnType<typeof openNotificationStore>;

async function apply(tx: Transaction, subscriptionId: string, change: Change): Promise<void> {
  if (change.kind === "add") {
    const { kind: _, ...notice } = change;
    await tx
      .insert(notices)
      .values({ subscriptionId, ...notice })
      .onConflictDoNothing();
    return;
  }
  const ended = and(
    eq(notices.subscriptionId, subscriptionId),
    eq(notices.type, change.type),
    eq(notices.subject, change.subject),
    isNull(notices.sentAt),
  );
  await tx.delete(notices).where(ended);
}
