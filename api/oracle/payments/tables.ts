import { sql } from "drizzle-orm";
import { bigint, index, integer, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** How many messages a user has sent to an oracle that charges a price. Locking the row serializes a user's messages. */
export const oracleUsage = pgTable("oracle_usage", {
  userDid: text("user_did").primaryKey(),
  /** Free and paid messages, since the oracle first charged a price. */
  messages: integer("messages").notNull().default(0),
});

/**
 * `unpaid`: recorded, not settled. `unknown`: in a settlement whose end is not known yet. `paid`: the chain says so. If they
 * differ, the chain is right and the row is corrected.
 */
export type ClaimState = "unpaid" | "unknown" | "paid";

/** What users owe for messages: one row for each paid message, and at most one for the message that waits for payment. */
export const oracleClaims = pgTable(
  "oracle_claims",
  {
    /** `CLM-` and a ULID; on chain its bytes, filled up with zeros. */
    id: text("id").primaryKey(),
    userDid: text("user_did").notNull(),
    sessionId: text("session_id").notNull(),
    requestId: text("request_id").notNull(),
    /** The id that the client gave the message: it has one claim, however often it is sent. */
    retryId: text("retry_id"),
    /** The accepted message's turn; null while the message waits for payment. */
    runId: text("run_id"),
    /** Stablecoin base units. */
    amount: bigint("amount", { mode: "bigint" }).notNull(),
    /** Account whose deposit pays; null on credit. */
    payer: text("payer"),
    state: text("state").$type<ClaimState>().notNull().default("unpaid"),
    /** The current or last settlement. */
    settlementId: text("settlement_id"),
    /** Selector of the registry's last refusal to pay it. */
    refusal: text("refusal"),
    transactionHash: text("transaction_hash"),
    paidBlock: bigint("paid_block", { mode: "bigint" }),
    createdAt: moment("created_at").notNull(),
    /** When the state was last changed. */
    changedAt: moment("changed_at").notNull(),
  },
  (table) => [
    uniqueIndex("oracle_claims_retry").on(table.userDid, table.retryId).where(sql`run_id is not null`),
    uniqueIndex("oracle_claims_asked").on(table.userDid).where(sql`run_id is null`),
    index("oracle_claims_user").on(table.userDid, table.id),
    index("oracle_claims_open").on(table.state, table.id).where(sql`state <> 'paid'`),
    index("oracle_claims_payer").on(table.payer, table.paidBlock),
  ],
);

export type ClaimRow = typeof oracleClaims.$inferSelect;
