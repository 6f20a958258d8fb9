import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

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

/**
 * Photos that are kept here, by who sent them. They count to their sender's quota. One that no record has named for some days is
 * destroyed.
 */
export const keptPhotos = pgTable(
  "kept_photos",
  {
    sha256: text().notNull(),
    /** DID of the implementer, or the API key of another caller. Empty for photos that were kept before this was stored. */
    sender: text().notNull(),
    /** Bytes. */
    size: integer().notNull(),
    sentAt: timestamp("sent_at", { withTimezone: true, mode: "date" }).notNull(),
    /** Whether a record was found that names it: it then stays. */
    isEvidence: boolean("is_evidence").notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.sha256, table.sender] }),
    index("kept_photos_sender").on(table.sender),
    index("kept_photos_unused").on(table.sentAt).where(sql`not is_evidence`),
  ],
);

export type KeptPhotoRow = typeof keptPhotos.$inferSelect;
export type PhotoRow = typeof photoFacts.$inferSelect;
