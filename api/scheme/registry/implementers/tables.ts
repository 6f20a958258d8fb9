import { integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** Names of implementers, from their events on chain. */
export const implementers = pgTable("implementers", {
  did: text().primaryKey(),
  /** Index on chain, from 1. */
  implementer: integer().notNull().unique(),
  name: text().notNull(),
  transactionHash: text("transaction_hash").notNull(),
  registeredAt: timestamp("registered_at", { withTimezone: true, mode: "date" }).notNull(),
});

export type ImplementerRow = typeof implementers.$inferSelect;
