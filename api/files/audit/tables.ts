import { bigint, index, integer, pgTable, primaryKey, smallint, text, timestamp, unique } from "drizzle-orm/pg-core";
import { bytes } from "../../platform/db/index.ts";
import type { FileEventKind } from "./event.ts";

/** Events of the file store, one hash chain a namespace. A trigger refuses to change or remove them; a purge keeps them. */
export const fileEvents = pgTable(
  "file_events",
  {
    namespace: text().notNull(),
    /** Place in the namespace's chain, from 1, without gaps. */
    sequence: bigint({ mode: "number" }).notNull(),
    /** ULID. */
    id: text().notNull(),
    at: timestamp({ withTimezone: true, precision: 3 }).notNull(),
    kind: text().$type<FileEventKind>().notNull(),
    fileId: text("file_id"),
    version: integer(),
    actor: text(),
    invoker: text(),
    tokenCid: text("token_cid"),
    runId: text("run_id"),
    toolCallId: text("tool_call_id"),
    /** HMAC-SHA-256 of the CID under a key that is destroyed with the file. */
    cidHmac: bytes("cid_hmac"),
    /** Format of the hashed data, see event-hash.ts. */
    format: smallint().notNull(),
    /** SHA-256 of the event and the previous hash. */
    hash: bytes().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.namespace, table.sequence] }),
    unique("file_events_id").on(table.id),
    index("file_events_file").on(table.namespace, table.fileId, table.sequence),
  ],
);

export type FileEventRow = typeof fileEvents.$inferSelect;

/** One Merkle root a day over the heads of all chains, anchored on chain. */
export const fileAuditRoots = pgTable("file_audit_roots", {
  /** Days since 1970-01-01 UTC. */
  day: integer().primaryKey(),
  root: bytes().notNull(),
  /** Number of chains and events that the root covers. */
  namespaces: integer().notNull(),
  events: bigint({ mode: "number" }).notNull(),
  madeAt: timestamp("made_at", { withTimezone: true, precision: 3 }).notNull(),
  /** Null until the transaction is in a block. */
  transactionHash: text("transaction_hash"),
});

/**
 * Heads under a day's root, only of chains that grew since the previous root. Together with earlier heads they reproduce the
 * root.
 */
export const fileAuditLeaves = pgTable(
  "file_audit_leaves",
  {
    day: integer()
      .notNull()
      .references(() => fileAuditRoots.day),
    namespace: text().notNull(),
    sequence: bigint({ mode: "number" }).notNull(),
    head: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespace, table.day] })],
);
