import { index, integer, pgTable, primaryKey, text, timestamp, unique } from "drizzle-orm/pg-core";

/** Bitstring Status Lists of this service. Each has the same size, see status-lists.ts. */
export const statusLists = pgTable("status_lists", {
  /** From 1; part of its public address. */
  list: integer().primaryKey(),
  /** Number of allocated entries. */
  entries: integer().notNull(),
  /** Number of set bits. */
  revoked: integer().notNull(),
  /** When the last bit was set, or the list was created: the start of the credential's validity. */
  changedAt: timestamp("changed_at", { withTimezone: true, precision: 0, mode: "date" }).notNull(),
});

/** Allocated entries, in random order: an entry's index does not reveal when or to whom it was given. */
export const statusEntries = pgTable(
  "status_entries",
  {
    list: integer()
      .notNull()
      .references(() => statusLists.list),
    entry: integer().notNull(),
    /** What the credential is about, such as a claim's public id. */
    statusOf: text("status_of").notNull(),
    /** Null: not revoked. */
    revokedAt: timestamp("revoked_at", { withTimezone: true, mode: "date" }),
    reason: text(),
  },
  (table) => [primaryKey({ columns: [table.list, table.entry] }), unique("status_entries_of").on(table.statusOf)],
);

/**
 * Hashes of every signed token: the chain and revocations refer to a token by its hash. The tokens are not stored here.
 */
export const issuedCredentials = pgTable(
  "issued_credentials",
  {
    /** SHA-256 of the compact token, 0x and 64 digits. */
    hash: text().primaryKey(),
    type: text().notNull(),
    list: integer().notNull(),
    entry: integer().notNull(),
    issuedAt: timestamp("issued_at", { withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [index("issued_credentials_entry").on(table.list, table.entry)],
);
