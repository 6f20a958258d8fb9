import { pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** The credentials that delivery claims rest on. They name households, so the chain holds their hashes only. */
export const claimCredentials = pgTable("claim_credentials", {
  /** SHA-256 of the compact token, 0x and 64 digits. */
  credentialHash: text("credential_hash").primaryKey(),
  /** Public id of the redemption, `REDM-…`. */
  redemptionId: text("redemption_id").notNull(),
  issuer: text().notNull(),
  /** The compact token. */
  token: text().notNull(),
  createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
});

export type ClaimCredentialRow = typeof claimCredentials.$inferSelect;
