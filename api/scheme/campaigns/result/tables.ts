import { integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/**
 * The certificate that a campaign's result was meant for, from before its registration on: so that one result never becomes two
 * certificates, however often and by whomever it is tried.
 */
export const campaignCertificates = pgTable("campaign_certificates", {
  /** Index of the campaign on chain. */
  campaign: integer().primaryKey(),
  certificateId: text("certificate_id").notNull(),
  createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
});
