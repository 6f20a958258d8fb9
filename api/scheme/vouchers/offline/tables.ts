import { bigint, index, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/**
 * Orders that a till accepted without a network, once the service has them. An order was pending from its acceptance to
 * its arrival.
 */
export const offlineOrders = pgTable(
  "offline_orders",
  {
    /** The request's Idempotency-Key with the API key, or a random id: a repeated request is one order. */
    orderKey: text("order_key").primaryKey(),
    /** Index of the household on chain. */
    household: integer().notNull(),
    /** Micro-CARBON. */
    amount: bigint({ mode: "bigint" }).notNull(),
    acceptedAt: timestamp("accepted_at", { withTimezone: true, mode: "date" }).notNull(),
    arrivedAt: timestamp("arrived_at", { withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [index("offline_orders_household").on(table.household, table.arrivedAt)],
);
