import { bigint, index, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, files } from "../records/tables.ts";

/**
 * Words of the heads of text files, for search. Apart from `files`, so that moves and marks do not touch the large index. Both
 * columns die with a purge: the tags with the group's secret, the list with the file's key.
 */
export const fileWords = pgTable(
  "file_words",
  {
    fileId: text("file_id")
      .primaryKey()
      .references(() => files.id, { onDelete: "cascade" }),
    keyGroup: text("key_group").notNull(),
    /** A truncated HMAC of each word under the key group's secret. */
    tags: bigint("tags", { mode: "bigint" }).array().notNull(),
    /** The words, sealed under the file's key: new tags are made of them when the group gets a new secret. */
    sealed: bytes("sealed").notNull(),
  },
  (table) => [
    // What new rows put into the index waits in a list that every search reads to its end; by default it grows to 4 MB.
    index("file_words_tags").using("gin", table.tags).with({ gin_pending_list_limit: 256 }),
    index("file_words_key_group").on(table.keyGroup),
  ],
);
