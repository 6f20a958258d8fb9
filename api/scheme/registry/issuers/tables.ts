import { bigint, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** Trusted issuers, from the last event of each on chain. */
export const issuers = pgTable("issuers", {
  did: text().primaryKey(),
  credentialTypes: text("credential_types").array().notNull(),
  /** Seconds since 1970, 0 for open. */
  validFrom: bigint("valid_from", { mode: "bigint" }).notNull(),
  validUntil: bigint("valid_until", { mode: "bigint" }).notNull(),
  transactionHash: text("transaction_hash").notNull(),
  /** Block of the event, so that an older one never overwrites a newer one. */
  blockNumber: bigint("block_number", { mode: "bigint" }).notNull(),
  updatedAt: timestamp("updated_at", { withTimezone: true, mode: "date" }).notNull(),
});

export type IssuerRow = typeof issuers.$inferSelect;
