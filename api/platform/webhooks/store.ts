import { and, asc, desc, eq, gt, inArray, lt, lte, ne, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { type DeliveryRow, type NewDelivery, type WebhookRow, webhookDeliveries, webhooks } from "./tables.ts";

const ROWS_PER_STATEMENT = 1_000;

export function openWebhookStore(db: Database) {
  return {
    async insert(row: WebhookRow): Promise<void> {
      await db.insert(webhooks).values(row);
    },
    async find(id: string): Promise<WebhookRow | undefined> {
      return (await db.select().from(webhooks).where(eq(webhooks.id, id)))[0];
    },
    /** Oldest first, after an id; of one key, or of all. */
    list(limit: number, afterId: string | undefined, keyId: string | undefined): Promise<WebhookRow[]> {
      const conditions = [];
      if (afterId !== undefined) conditions.push(gt(webhooks.id, afterId));
      if (keyId !== undefined) conditions.push(eq(webhooks.keyId, keyId));
      return db
        .select()
        .from(webhooks)
        .where(and(...conditions))
        .orderBy(asc(webhooks.id))
        .limit(limit);
    },
    active(): Promise<WebhookRow[]> {
      return db.select().from(webhooks).where(eq(webhooks.status, "active"));
    },
    countOf(keyId: string): Promise<number> {
      return db.$count(webhooks, eq(webhooks.keyId, keyId));
    },
    async remove(id: string): Promise<void> {
      await db.delete(webhooks).where(eq(webhooks.id, id));
    },
    async disable(id: string): Promise<void> {
      await db.update(webhooks).set({ status: "disabled" }).where(eq(webhooks.id, id));
    },
    /** Keep deliveries and how far they reach, together; an event that has its delivery already keeps that. */
    async saveDeliveries(rows: NewDelivery[], through: { ids: string[]; block: bigint }): Promise<void> {
      await db.transaction(async (tx) => {
        for (let i = 0; i < rows.length; i += ROWS_PER_STATEMENT) {
          await tx
            .insert(webhookDeliveries)
            .values(rows.slice(i, i + ROWS_PER_STATEMENT))
            .onConflictDoNothing();
        }
        await tx.update(webhooks).set({ throughBlock: through.block }).where(inArray(webhooks.id, through.ids));
      });
    },
    /** Take up due deliveries: nobody else gets them before `leaseUntil`. */
    takeDue(now: Date, leaseUntil: Date, limit: number): Promise<DeliveryRow[]> {
      const due = db
        .select({ id: webhookDeliveries.id })
        .from(webhookDeliveries)
        .where(and(eq(webhookDeliveries.status, "pending"), lte(webhookDeliveries.nextAttemptAt, now)))
        .orderBy(asc(webhookDeliveries.nextAttemptAt), asc(webhookDeliveries.id))
        .limit(limit)
        .for("update", { skipLocked: true });
      return db
        .update(webhookDeliveries)
        .set({ nextAttemptAt: leaseUntil, attempts: sql`${webhookDeliveries.attempts} + 1` })
        .where(inArray(webhookDeliveries.id, due))
        .returning();
    },
    async finish(id: number, changes: Partial<DeliveryRow>): Promise<void> {
      await db.update(webhookDeliveries).set(changes).where(eq(webhookDeliveries.id, id));
    },
    /** Newest first, before an id. */
    deliveries(
      webhookId: string,
      limit: number,
      beforeId?: number,
      status?: DeliveryRow["status"],
    ): Promise<DeliveryRow[]> {
      const conditions = [eq(webhookDeliveries.webhookId, webhookId)];
      if (beforeId !== undefined) conditions.push(lt(webhookDeliveries.id, beforeId));
      if (status !== undefined) conditions.push(eq(webhookDeliveries.status, status));
      return db
        .select()
        .from(webhookDeliveries)
        .where(and(...conditions))
        .orderBy(desc(webhookDeliveries.id))
        .limit(limit);
    },
    /** Make finished deliveries due again; answers how many. */
    async requeue(
      webhookId: string,
      now: Date,
      only: { since?: Date; status?: "failed" | "succeeded" },
    ): Promise<number> {
      const conditions = [eq(webhookDeliveries.webhookId, webhookId), ne(webhookDeliveries.status, "pending")];
      if (only.since) conditions.push(sql`${webhookDeliveries.createdAt} >= ${only.since.toISOString()}`);
      if (only.status) conditions.push(eq(webhookDeliveries.status, only.status));
      const changed = await db
        .update(webhookDeliveries)
        .set({ status: "pending", attempts: 0, nextAttemptAt: now, deliveredAt: null })
        .where(and(...conditions))
        .returning({ id: webhookDeliveries.id });
      return changed.length;
    },
    /** Forget what was finished before a moment. */
    async prune(before: Date): Promise<void> {
      const old = and(ne(webhookDeliveries.status, "pending"), lt(webhookDeliveries.createdAt, before));
      await db.delete(webhookDeliveries).where(old);
    },
  };
}
export type WebhookStore = ReturnType<typeof openWebhookStore>;
