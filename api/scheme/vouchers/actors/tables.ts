import { bigint, index, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { ConsentLevel } from "../../../../indexer/schema/consent-words.ts";
import { chainTransactions } from "../../../platform/chain/index.ts";
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
    /** API key or account of the caller, as in `ActedBy`. */
    caller: text().notNull(),
    /** How the household agreed, as on chain. */
    consent: text().$type<ConsentLevel>().notNull(),
    at: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [index("redemption_actors_channel").on(table.channel, table.consent)],
);

/**
 * Who acts for the household in a redemption that is sent to the chain, stored with its transaction: a kill, or a caller that does not
 * wait for the block, loses nothing. Once the block is known, the row becomes one of `redemption_actors`.
 */
export const redemptionOrders = pgTable(
  "redemption_orders",
  {
    transactionId: bigint("transaction_id", { mode: "number" })
      .notNull()
      .references(() => chainTransactions.id, { onDelete: "cascade" }),
    /** Place of the order in the transaction, from 0. */
    position: integer().notNull(),
    channel: text().$type<ActingChannel>().notNull(),
    role: text().$type<Role>().notNull(),
    caller: text().notNull(),
    at: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.transactionId, table.position] })],
);
export type RedemptionActorRow = typeof redemptionActors.$inferSelect;
