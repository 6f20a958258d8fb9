import { index, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { ConsentLevel } from "../../../../indexer/schema/consent-words.ts";
import type { ActingChannel, Role } from "../../../platform/http/index.ts";

/**
 * Who acted for the household in each redemption that was made through the API. A supplier that sends its own transaction is on chain
 * only. Nothing of this is on chain.
 */
export const redemptionActors = pgTable(
  "redemption_actors",
  {
    /** `REDM-…`. */
    redemptionId: text("redemption_id").primaryKey(),
    channel: text().$type<ActingChannel>().notNull(),
    role: text().$type<Role>().notNull(),
    /** API key or account of the caller. */
    caller: text().notNull(),
    /** How the household agreed, as on chain. */
    consent: text().$type<ConsentLevel>().notNull(),
    at: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [index("redemption_actors_channel").on(table.channel, table.consent)],
);
export type RedemptionActorRow = typeof redemptionActors.$inferSelect;
