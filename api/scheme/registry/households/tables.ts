import { integer, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";

/**
 * Maps keyed hashes on chain to DIDs. No other table holds households' DIDs. A row without `household` is a
 * registration that has not been seen on chain; it counts as absent until then.
 */
export const households = pgTable(
  "households",
  {
    /** HMAC-SHA-256(scheme key, DID), 0x and 64 digits. */
    hash: text().primaryKey(),
    did: text().notNull(),
    /** Index on chain, from 1. */
    household: integer(),
    account: text(),
    region: text(),
    men: integer(),
    women: integer(),
    children: integer(),
    elderly: integer(),
    /** DID of the implementer that registered it; null for the scheme. */
    registeredBy: text("registered_by"),
    transactionHash: text("transaction_hash"),
    createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [uniqueIndex("households_household").on(table.household)],
);

/** Where households are. Nothing of it is on chain or in the index. */
export const householdLocations = pgTable("household_locations", {
  hash: text().primaryKey(),
  /** Millionths of a degree, north is positive. */
  latitude: integer().notNull(),
  /** Millionths of a degree, east is positive. */
  longitude: integer().notNull(),
});

export type HouseholdRow = typeof households.$inferSelect;
