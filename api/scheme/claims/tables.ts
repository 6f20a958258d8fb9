import { pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

/** The credentials of delivery claims. They name households, so the chain holds only their hashes. */
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

/** Who raised disputes through the API. On chain, all of them come from one account. */
export const claimDisputes = pgTable(
  "claim_disputes",
  {
    /** Public id of the claim, `CLM-…`. */
    claimId: text("claim_id").notNull(),
    /** The API key's id, or the account that signed in. */
    raisedBy: text("raised_by").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.claimId, table.raisedBy] })],
);

export type ClaimCredentialRow = typeof claimCredentials.$inferSelect;
