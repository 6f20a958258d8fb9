import { bigint, index, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

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

/** Prices of products, each change a row; the last one counts. Only this database has them. */
export const productPrices = pgTable(
  "product_prices",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    productId: text("product_id").notNull(),
    /** Millionths of the currency; null: the price was removed. */
    amount: bigint({ mode: "bigint" }),
    /** ISO 4217. */
    currency: text(),
    /** Micro-CARBON that one unit takes. */
    carbon: bigint({ mode: "bigint" }),
    /** API key or account that set it. */
    setBy: text("set_by").notNull(),
    setAt: timestamp("set_at", { withTimezone: true, mode: "date" }).notNull().defaultNow(),
  },
  (table) => [index("product_prices_of_product").on(table.productId, table.id)],
);

export type PriceRow = typeof productPrices.$inferSelect;
export type ProductRow = typeof products.$inferSelect;
