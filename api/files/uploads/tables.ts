import { bigint, index, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { pathText } from "../records/tables.ts";

/** Resumable uploads, unfinished or recently finished. Their encrypted bytes and their wrapped keys are in the blob store. */
export const fileUploads = pgTable(
  "file_uploads",
  {
    /** ULID. */
    id: text("id").primaryKey(),
    namespace: text("namespace").notNull(),
    /** DID that created it; only it can continue. */
    invoker: text("invoker").notNull(),
    path: pathText("path").notNull(),
    mimeType: text("mime_type").notNull(),
    /** The metadata as the client sent it. */
    metadata: text("metadata").notNull(),
    /** Total bytes; null while unknown. */
    size: bigint("size", { mode: "number" }),
    /** Bytes of stored parts; the last part counts when the file is created. */
    received: bigint("received", { mode: "number" }).notNull().default(0),
    /** Id of the created file. */
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
    /** From 1; also the version number that the part's segments are encrypted under. */
    part: integer("part").notNull(),
    blob: text("blob").notNull(),
    size: bigint("size", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.part] }), index("file_upload_parts_blob").on(table.blob)],
);

export type UploadRow = typeof fileUploads.$inferSelect;
export type PartRow = Pick<typeof fileUploadParts.$inferSelect, "part" | "blob" | "size">;
