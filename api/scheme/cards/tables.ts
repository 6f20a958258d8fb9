import { sql } from "drizzle-orm";
import { bigint, index, integer, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import type { ActingChannel } from "../../platform/http/index.ts";

export const cardStatuses = ["issued", "linked", "active", "blocked", "replaced"] as const;
export type CardStatus = (typeof cardStatuses)[number];
export const cardLanguages = ["en", "fr", "pt", "sw"] as const;
export type CardLanguage = (typeof cardLanguages)[number];

/** Cards that were made together, to be printed on sheets. */
export const cardBatches = pgTable("card_batches", {
  batchId: text("batch_id").primaryKey(),
  implementerDid: text("implementer_did").notNull(),
  language: text().$type<CardLanguage>().notNull(),
  count: integer().notNull(),
  createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
});

/** Household cards. Households are named by their index in the registry, never by DID. Nothing of a card is on chain. */
export const cards = pgTable(
  "cards",
  {
    /** 11 random digits. */
    cardId: text("card_id").primaryKey(),
    batchId: text("batch_id").notNull(),
    /** Place in the batch, from 1: the order on the sheets. */
    place: integer().notNull(),
    status: text().$type<CardStatus>().notNull(),
    /** Index of the household on chain; null until the card is linked. */
    household: integer(),
    /** Card that took this one's place. */
    replacedBy: text("replaced_by"),
    changedAt: timestamp("changed_at", { withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [
    uniqueIndex("cards_place").on(table.batchId, table.place),
    // A household has at most one card that has not ended.
    uniqueIndex("cards_household").on(table.household).where(sql`status in ('linked', 'active', 'blocked')`),
    index("cards_of_household").on(table.household),
  ],
);

/** Who changed a card, and why. Rows are only added. */
export const cardChanges = pgTable(
  "card_changes",
  {
    number: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    cardId: text("card_id").notNull(),
    status: text().$type<CardStatus>().notNull(),
    reason: text(),
    /** Role and API key, or account, of the caller. */
    role: text().notNull(),
    caller: text().notNull(),
    /** Through what the caller acted; null for a change that was made before this was stored. */
    channel: text().$type<ActingChannel>(),
    at: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [index("card_changes_card").on(table.cardId)],
);

export type CardBatchRow = typeof cardBatches.$inferSelect;
export type CardRow = typeof cards.$inferSelect;
export type CardChangeRow = typeof cardChanges.$inferSelect;
