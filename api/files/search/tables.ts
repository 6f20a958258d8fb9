import { bigint, index, pgTable, text } from "drizzle-orm/pg-core";
import { bytes } from "../../platform/db/index.ts";
import { files } from "../records/tables.ts";

/**
 * Words of the heads of text files, for search. It is separate from `files`, so that moves and marks do not update the large
 * index. A purge makes both columns unreadable: the tags with the group's secret, the words with the file's key.
 */
export const fileWords = pgTable(
  "file_words",
  {
    fileId: text("file_id")
      .primaryKey()
      .references(() => files.id, { onDelete: "cascade" }),
    keyGroup: text("key_group").notNull(),
    /** Truncated HMACs of the words under the key group's secret. */
    tags: bigint("tags", { mode: "bigint" }).array().notNull(),
    /** The words, sealed under the file's key: when the group gets a new secret, new tags are computed from them. */
    sealed: bytes("sealed").notNull(),
  },
  (table) => [
    // New index entries wait in a pending list that every search scans whole; by default it grows to 4 MB.
    index("file_words_tags").using("gin", table.tags).with({ gin_pending_list_limit: 256 }),
    index("file_words_key_group").on(table.keyGroup),
  ],
);
