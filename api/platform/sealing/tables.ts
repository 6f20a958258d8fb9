import { sql } from "drizzle-orm";
import { boolean, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";

const moment = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/**
 * The scheme key of this database, and the keys with which values may be sealed. Only ids, which reveal nothing of the keys. A key's
 * row is deleted when a process starts without the key and nothing is sealed with it any more.
 */
export const sealingKeys = pgTable(
  "sealing_keys",
  {
    /** 16 hexadecimal digits. */
    keyId: text("key_id").primaryKey(),
    /** The households' hashes are made with it: there is one, forever. */
    isScheme: boolean("is_scheme").notNull(),
    firstUsedAt: moment("first_used_at").notNull().defaultNow(),
  },
  (table) => [uniqueIndex("sealing_keys_scheme").on(table.isScheme).where(sql`${table.isScheme}`)],
);

/** The API processes that share this database, so that a rotation knows which keys each of them has. */
export const sealingProcesses = pgTable("sealing_processes", {
  id: text().primaryKey(),
  /** The key with which it seals. */
  keyId: text("key_id").notNull(),
  /** All keys with which it opens. */
  knownKeyIds: text("known_key_ids").array().notNull(),
  seenAt: moment("seen_at").notNull(),
});
