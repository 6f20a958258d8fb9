import { bigint, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** Products, from their events on chain. Their status is read from the chain. */
export const products = pgTable("products", {
  productId: text("product_id").primaryKey(),
  /** Index on chain, from 1. */
  product: integer().notNull().unique(),
  /** Index of the implementer that owns it, 0 for the scheme. */
  implementer: integer().notNull(),
  name: text().notNull(),
  category: text().notNull(),
  unit: text().notNull(),
  /** Micro-CARBON, 0 for no limit. */
  maxAmount: bigint("max_amount", { mode: "bigint" }).notNull(),
  transactionHash: text("transaction_hash").notNull(),
  registeredAt: timestamp("registered_at", { withTimezone: true, mode: "date" }).notNull(),
});

export type ProductRow = typeof products.$inferSelect;
