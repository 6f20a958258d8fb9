import { bigint, index, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { pathText } from "../records/tables.ts";

/** Resumable uploads, under way or lately finished. The bytes lie sealed in the blob store, their key beside them. */
export const fileUploads = pgTable(
  "file_uploads",
  {
    /** ULID. */
    id: text("id").primaryKey(),
    namespace: text("namespace").notNull(),
    /** DID that began it; nobody else can go on with it. */
    invoker: text("invoker").notNull(),
    path: pathText("path").notNull(),
    mimeType: text("mime_type").notNull(),
    /** The metadata as the client gave it. */
    metadata: text("metadata").notNull(),
    /** Bytes of the whole; null: not told yet. */
    size: bigint("size", { mode: "number" }),
    /** Bytes that are kept; the last part counts when the file is there. */
    received: bigint("received", { mode: "number" }).notNull().default(0),
    /** The file that it became. */
    fileId: text("file_id"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("file_uploads_namespace").on(table.namespace),
    index("file_uploads_expires_at").on(table.expiresAt),
  ],
);

/** Parts of unfinished uploads, in order of their number. */
export const fileUploadParts = pgTable(
  "file_upload_parts",
  {
    uploadId: text("upload_id")
      .notNull()
      .references(() => fileUploads.id, { onDelete: "cascade" }),
    /** From 1; also the number that the part's segments are sealed under. */
    part: integer("part").notNull(),
    blob: text("blob").notNull(),
    size: bigint("size", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.part] }), index("file_upload_parts_blob").on(table.blob)],
);

export type UploadRow = typeof fileUploads.$inferSelect;
export type PartRow = Pick<typeof fileUploadParts.$inferSelect, "part" | "blob" | "size">;
