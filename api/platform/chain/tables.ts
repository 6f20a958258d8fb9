import {
  bigint,
  bigserial,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { RuleDetail } from "../errors.ts";

/** The chain that this database's transactions belong to: one row, written on first start. */
export const chainIdentity = pgTable("chain_identity", {
  chainId: bigint("chain_id", { mode: "number" }).primaryKey(),
  genesisHash: text("genesis_hash").notNull(),
});

/** The API's accounts. A row's lock orders the nonces of all processes that share the database. */
export const chainSenders = pgTable("chain_senders", {
  address: text("address").primaryKey(),
  nextNonce: bigint("next_nonce", { mode: "number" }).notNull(),
});

/**
 * The outbox. `open`: not in a block yet. `mined`, `reverted`: in block `blockNumber`. `failed`: the chain will never include it,
 * because its nonce was used by another transaction or it was abandoned; `error` says why.
 */
export const chainTransactions = pgTable(
  "chain_transactions",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    sender: text("sender").notNull(),
    nonce: bigint("nonce", { mode: "number" }).notNull(),
    hash: text("hash").notNull(),
    /** Signed bytes. They are sent again, unchanged, while the chain does not have them. */
    raw: text("raw").notNull(),
    /** Hashes of earlier versions with a lower fee, which may still be mined instead. */
    replacedHashes: jsonb("replaced_hashes").$type<string[]>().notNull().default([]),
    contract: text("contract").notNull(),
    functionName: text("function_name").notNull(),
    purpose: text("purpose").notNull(),
    status: text("status", { enum: ["open", "mined", "reverted", "failed"] }).notNull(),
    blockNumber: bigint("block_number", { mode: "number" }),
    transactionIndex: integer("transaction_index"),
    /** What the sender paid for gas, in wei, once it is in a block. */
    feeWei: numeric("fee_wei", { precision: 40, scale: 0 }),
    error: jsonb("error").$type<StoredError>(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    sentAt: timestamp("sent_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("chain_transactions_sender_nonce").on(table.sender, table.nonce),
    uniqueIndex("chain_transactions_hash").on(table.hash),
    index("chain_transactions_status").on(table.status, table.id),
    index("chain_transactions_block").on(table.blockNumber),
    index("chain_transactions_created").on(table.createdAt),
  ],
);

/** The idempotent requests of a transaction, with their positions in its batch. */
export const chainTransactionParts = pgTable("chain_transaction_parts", {
  idempotencyKey: text("idempotency_id").primaryKey(),
  transactionId: bigint("transaction_id", { mode: "number" })
    .notNull()
    .references(() => chainTransactions.id, { onDelete: "cascade" }),
  position: integer("position").notNull(),
});

export type ChainTransaction = typeof chainTransactions.$inferSelect;
export type StoredError = { code: string; message: string; details: RuleDetail[] };
