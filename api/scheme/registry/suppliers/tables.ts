import { integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** Names of suppliers, from their events on chain. Account and status are read from the chain. */
export const suppliers = pgTable("suppliers", {
  did: text().primaryKey(),
  /** Index on chain, from 1. */
  supplier: integer().notNull().unique(),
  name: text().notNull(),
  region: text(),
  transactionHash: text("transaction_hash").notNull(),
  registeredAt: timestamp("registered_at", { withTimezone: true, mode: "date" }).notNull(),
});

export type SupplierRow = typeof suppliers.$inferSelect;
