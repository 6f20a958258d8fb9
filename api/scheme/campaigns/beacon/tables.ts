import { integer, pgTable, text } from "drizzle-orm/pg-core";

/** The round of a public beacon that took part in a campaign's draw. */
export const campaignBeacons = pgTable("campaign_beacons", {
  campaign: integer().primaryKey(),
  round: integer().notNull(),
  signature: text().notNull(),
  randomness: text().notNull(),
});
