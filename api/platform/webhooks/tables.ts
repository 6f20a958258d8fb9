import { bigserial, index, integer, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import { type EventType, followerColumns } from "../events/index.ts";

/** Webhooks. Each receives the events of the key that created it, with the key's permissions at that time. */
export const webhooks = pgTable(
  "webhooks",
  {
    /** `wh_` and 16 hexadecimal digits. */
    id: text().primaryKey(),
    url: text().notNull(),
    /** Event types; empty for all. */
    events: text().array().$type<EventType[]>().notNull(),
    /** The signing secret, sealed (secret-box.ts). */
    sealedSecret: text("sealed_secret").notNull(),
    status: text({ enum: ["active", "disabled"] }).notNull(),
    ...followerColumns(),
    createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [index("webhooks_key").on(table.keyId, table.createdAt)],
);

/** Deliveries. A row is due while `pending` and past `nextAttemptAt`; claiming it moves that forward. */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    webhookId: text("webhook_id")
      .notNull()
      .references(() => webhooks.id, { onDelete: "cascade" }),
    eventId: text("event_id").notNull(),
    type: text().$type<EventType>().notNull(),
    /** The exact body, so that each attempt sends the same bytes. */
    body: text().notNull(),
    status: text({ enum: ["pending", "succeeded", "failed"] }).notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: timestamp("next_attempt_at", { withTimezone: true, mode: "date" }).notNull(),
    /** HTTP status of the last attempt; null when there was no response. */
    lastStatus: integer("last_status"),
    lastError: text("last_error"),
    createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
    deliveredAt: timestamp("delivered_at", { withTimezone: true, mode: "date" }),
  },
  (table) => [
    uniqueIndex("webhook_deliveries_event").on(table.webhookId, table.eventId),
    index("webhook_deliveries_due").on(table.webhookId, table.status, table.nextAttemptAt),
  ],
);

export type WebhookRow = typeof webhooks.$inferSelect;
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
export type NewDelivery = typeof webhookDeliveries.$inferInsert;
