import { bigint, integer, pgTable, smallint, text, timestamp } from "drizzle-orm/pg-core";

/** Progress of the scrub; one row. */
export const fileScrubs = pgTable("file_scrubs", {
  /** Always 1. */
  id: smallint().primaryKey(),
  /** Id of the last file that was read; empty at the beginning of a pass. */
  position: text().notNull(),
  /** Files, bytes and damaged versions read in this pass. */
  files: integer().notNull(),
  bytes: bigint({ mode: "number" }).notNull(),
  damaged: integer().notNull(),
  beganAt: timestamp("began_at", { withTimezone: true }).notNull(),
  /** When the last pass ended. */
  finishedAt: timestamp("finished_at", { withTimezone: true }),
});
