import { bigserial, index, integer, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import { followerColumns } from "../events/index.ts";
import type { NoticeType, Topic } from "./topics.ts";

/** Where a person wants to be notified. It ends with the API key that made it. */
export const notificationSubscriptions = pgTable(
  "notification_subscriptions",
  {
    /** `ns_` and 16 hexadecimal digits. */
    id: text().primaryKey(),
    channel: text({ enum: ["email", "push"] }).notNull(),
    /** E-mail address, or the browser's push subscription as JSON; sealed (secret-box.ts). */
    sealedAddress: text("sealed_address").notNull(),
    /** Keyed hash of the address, to find a repeated one. */
    addressHash: text("address_hash").notNull(),
    topics: text().array().$type<Topic[]>().notNull(),
    language: text({ enum: ["en", "fr", "pt", "sw"] }).notNull(),
    /**
     * `unconfirmed`: the e-mail's owner has not agreed yet. `failed`: the address takes no messages. `withdrawn`: ended before
     * the owner agreed; kept for two days without the address, so that nobody is asked again and again.
     */
    status: text({ enum: ["unconfirmed", "active", "failed", "withdrawn"] }).notNull(),
    confirmedAt: timestamp("confirmed_at", { withTimezone: true, mode: "date" }),
    ...followerColumns(),
    createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
    /** Nothing is sent before this time; claiming a subscription moves it forward. */
    nextAttemptAt: timestamp("next_attempt_at", { withTimezone: true, mode: "date" }).notNull(),
    /** Attempts since the last success. */
    attempts: integer().notNull().default(0),
    lastError: text("last_error"),
  },
  (table) => [
    uniqueIndex("notification_subscriptions_address").on(table.keyId, table.addressHash),
    index("notification_subscriptions_due").on(table.nextAttemptAt),
  ],
);

/** What one person is notified of, each thing once. */
export const notices = pgTable(
  "notices",
  {
    id: bigserial({ mode: "number" }).primaryKey(),
    subscriptionId: text("subscription_id")
      .notNull()
      .references(() => notificationSubscriptions.id, { onDelete: "cascade" }),
    eventId: text("event_id").notNull(),
    type: text().$type<NoticeType>().notNull(),
    /** Id of the record that it is about. */
    subject: text().notNull(),
    /** Time that the text names; null where there is none. */
    deadline: text(),
    occurredAt: timestamp("occurred_at", { withTimezone: true, mode: "date" }).notNull(),
    dueAt: timestamp("due_at", { withTimezone: true, mode: "date" }).notNull(),
    sentAt: timestamp("sent_at", { withTimezone: true, mode: "date" }),
  },
  (table) => [
    uniqueIndex("notices_event").on(table.subscriptionId, table.eventId),
    index("notices_due").on(table.subscriptionId, table.sentAt, table.dueAt),
  ],
);

export type SubscriptionRow = typeof notificationSubscriptions.$inferSelect;
export type NoticeRow = typeof notices.$inferSelect;
export type NewNotice = typeof notices.$inferInsert;
