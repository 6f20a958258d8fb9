import { integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/**
 * The certificate of a campaign's result, stored before its registration. So one result never becomes two certificates, however many
 * callers try.
 */
export const campaignCertificates = pgTable("campaign_certificates", {
  /** Index of the campaign on chain. */
  campaign: integer().primaryKey(),
  certificateId: text("certificate_id").notNull(),
  createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
});
