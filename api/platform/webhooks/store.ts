import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, lte, ne, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/index.ts";
import { type DeliveryRow, type NewDelivery, type WebhookRow, webhookDeliveries, webhooks } from "./tables.ts";

const ROWS_PER_STATEMENT = 1_000;

export type DueDelivery = { delivery: DeliveryRow; webhook: WebhookRow };
export type TakeDue = {
  now: Date;
  leaseUntil: Date;
  limit: number;
  /** Most deliveries of one key in progress. */
  perKey: number;
  /** Deliveries in progress, by key. */
  underWay: ReadonlyMap<string, number>;
};

export function openWebhookStore(db: Database) {
  return {
    async insert(tx: Transaction, row: WebhookRow): Promise<void> {
      await tx.insert(webhooks).values(row);
    },
    /** Give a webhook another secret. @returns undefined when it has ended */
    async replaceSecret(tx: Transaction, id: string, sealedSecret: string): Promise<WebhookRow | undefined> {
      return (await tx.update(webhooks).set({ sealedSecret }).where(eq(webhooks.id, id)).returning())[0];
    },
    async find(id: string): Promise<WebhookRow | undefined> {
      return (await db.select().from(webhooks).where(eq(webhooks.id, id)))[0];
    },
    /** List webhooks of one key, or of all, oldest first, after an id. */
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
    /** Store deliveries together with the progress. An event that has a delivery keeps it. */
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
    /**
     * Claim due deliveries with their webhooks until `leaseUntil`. Each key gets its first before any gets its second, and at most
     * `perKey` including those in progress.
     */
    takeDue({ now, leaseUntil, limit, perKey, underWay }: TakeDue): Promise<DueDelivery[]> {
      const { id, webhookId, status, nextAttemptAt } = webhookDeliveries;
      const isDue = and(eq(status, "pending"), lte(nextAttemptAt, now));
      const busy = JSON.stringify(Object.fromEntries(underWay));
      const ofWebhook = db
        .select({ id, nextAttemptAt })
        .from(webhookDeliveries)
        .where(and(eq(webhookId, webhooks.id), isDue))
        .orderBy(asc(nextAttemptAt), asc(id))
        .limit(perKey)
        .as("of_webhook");
      const place =
        sql<number>`row_number() over (partition by ${webhooks.keyId} order by ${ofWebhook.nextAttemptAt}, ${ofWebhook.id})
        + coalesce((${busy}::jsonb ->> ${webhooks.keyId})::int, 0)`.as("place");
      const ranked = db
        .select({ id: ofWebhook.id, nextAttemptAt: ofWebhook.nextAttemptAt, place })
        .from(webhooks)
        .crossJoinLateral(ofWebhook)
        .as("ranked");
      const chosen = db
        .select({ id: ranked.id })
        .from(ranked)
        .where(lte(ranked.place, perKey))
        .orderBy(asc(ranked.place), asc(ranked.nextAttemptAt), asc(ranked.id))
        .limit(limit);
      const free = db
        .select({ id })
        .from(webhookDeliveries)
        .where(and(inArray(id, chosen), isDue))
        .for("update", { skipLocked: true });
      return db
        .update(webhookDeliveries)
        .set({ nextAttemptAt: leaseUntil, attempts: sql`${webhookDeliveries.attempts} + 1` })
        .from(webhooks)
        .where(and(inArray(id, free), eq(webhookId, webhooks.id)))
        .returning({ delivery: getTableColumns(webhookDeliveries), webhook: getTableColumns(webhooks) });
    },
    async finish(id: number, changes: Partial<DeliveryRow>): Promise<void> {
      await db.update(webhookDeliveries).set(changes).where(eq(webhookDeliveries.id, id));
    },
    /** List deliveries, newest first, before an id. */
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
    /** Make finished deliveries due again. Returns how many. */
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
    /** Delete deliveries that were finished before the given time. */
    async prune(before: Date): Promise<void> {
      const old = and(ne(webhookDeliveries.status, "pending"), lt(webhookDeliveries.createdAt, before));
      await db.delete(webhookDeliveries).where(old);
    },
  };
}
export type WebhookStore = ReturnType<typeof openWebhookStore>;
