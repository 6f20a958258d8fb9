import { bigint, index, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/**
 * EXIF data of photos that were sent to be read, by the SHA-256 of their bytes. A record names a photo by its SHA-256 or its link. The
 * data are for evaluators only: a photo may tell where a household lives.
 */
export const photoFacts = pgTable(
  "photo_facts",
  {
    /** 64 hexadecimal digits. */
    sha256: text().primaryKey(),
    /** SHA-256 of the photo's ipfs URI, with 0x; null where its sender keeps the photo. */
    linkHash: text("link_hash"),
    mimeType: text("mime_type").notNull(),
    /** EXIF time in the camera's time zone, without an offset. */
    takenAt: text("taken_at"),
    /** EXIF position in billionths of a degree. */
    latitude: bigint({ mode: "bigint" }),
    longitude: bigint({ mode: "bigint" }),
    /** EXIF maker and model. */
    device: text(),
    readAt: timestamp("read_at", { withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [index("photo_facts_link_hash").on(table.linkHash)],
);

export type PhotoRow = typeof photoFacts.$inferSelect;
