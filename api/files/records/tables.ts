import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { bytes } from "../../platform/db/index.ts";

/** Text that is sorted by its bytes, so that everything below a folder is one range of the index. */
export const pathText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });
const time = (name: string) => timestamp(name, { withTimezone: true });
const count = (name: string) => bigint(name, { mode: "number" }).notNull().default(0);

/**
 * One row per owner that ever wrote. Every change of a namespace locks its row first, so changes of one namespace are serial:
 * what a transaction then reads of files, flags and key groups cannot change until it commits.
 */
export const namespaces = pgTable("namespaces", {
  /** The owner's DID. */
  namespace: text("namespace").primaryKey(),
  /** Plaintext bytes of all retained versions, trashed files included. */
  bytes: count("bytes"),
  files: count("files"),
  /** Retained versions, heads included. */
  versions: count("versions"),
  /** Bytes that unfinished writes have reserved: the sum of the namespace's rows in `file_reservations`. */
  reserved: count("reserved"),
  /** Tail of the audit chain. */
  auditSequence: count("audit_sequence"),
  auditHead: bytes("audit_head"),
});

/** Columns that the head (in `files`) and a superseded version (in `file_versions`) share. */
const content = () => ({
  /**
   * The version number in each segment's encryption context, which never changes. Moves increase the file's counter, so the
   * listed number of a version may be higher.
   */
  sealedVersion: integer("sealed_version").notNull(),
  /** Key of the sealed bytes in the blob store. */
  blob: text("blob").notNull(),
  /** Plaintext bytes. */
  size: bigint("size", { mode: "number" }).notNull(),
  /** The version's key, wrapped by the file's key. */
  versionKey: bytes("version_key").notNull(),
  /** cid, contentHash, mimeType, metadata: sealed under the file's key. */
  details: bytes("details").notNull(),
  /** HMAC of the CID's multihash under the key group's secret. It finds a file by CID, but nobody can test a guess against it. */
  cidTag: bytes("cid_tag").notNull(),
  label: text("label"),
  /** Pinned versions are never pruned. */
  pinned: boolean("pinned").notNull().default(false),
});

/** Files that are not purged, each with its head. */
export const files = pgTable(
  "files",
  {
    /** ULID. */
    id: text("id").primaryKey(),
    namespace: text("namespace").notNull(),
    path: pathText("path").notNull(),
    /** The version counter, which is also the head's number. */
    version: integer("version").notNull(),
    /** Retained content versions, the head included. */
    retained: integer("retained").notNull().default(1),
    /** The file's marks; folders above and dot segments may hide it too. */
    hidden: boolean("hidden").notNull().default(false),
    public: boolean("public").notNull().default(false),
    keyGroup: text("key_group").notNull(),
    /** The file's key, wrapped by its group's secret. */
    fileKey: bytes("file_key").notNull(),
    ...content(),
    createdAt: time("created_at").notNull(),
    createdBy: text("created_by").notNull(),
    /** When the head was written, and the DID that wrote it. */
    writtenAt: time("written_at").notNull(),
    writtenBy: text("written_by").notNull(),
    /** The last change of any kind. */
    updatedAt: time("updated_at").notNull(),
    trashedAt: time("trashed_at"),
  },
  (table) => [
    uniqueIndex("files_live_path").on(table.namespace, table.path).where(sql`trashed_at is null`),
    // For lists without hidden files: they never read a dotfile or a hidden file.
    index("files_shown")
      .on(table.namespace, table.path)
      .where(sql`trashed_at is null and not hidden and strpos(path, '/.') = 0`),
    index("files_trashed").on(table.namespace, table.path, table.id).where(sql`trashed_at is not null`),
    index("files_trashed_shown")
      .on(table.namespace, table.path, table.id)
      .where(sql`trashed_at is not null and not hidden and strpos(path, '/.') = 0`),
    index("files_cid_tag").on(table.cidTag),
    index("files_public").on(table.keyGroup).where(sql`public and trashed_at is null`),
    index("files_key_group").on(table.keyGroup),
    check("files_retained", sql`retained between 1 and 50`),
  ],
);

/**
 * Superseded content versions. A row is written when its version stops being the head. Afterwards only its label and pin change.
 */
export const fileVersions = pgTable(
  "file_versions",
  {
    fileId: text("file_id")
      .notNull()
      .references(() => files.id),
    /** The listed version number: the file's counter when the version was superseded. */
    version: integer("version").notNull(),
    ...content(),
    writtenAt: time("written_at").notNull(),
    writtenBy: text("written_by").notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.version] }), index("file_versions_cid_tag").on(table.cidTag)],
);

/** Marks of folders. A folder without marks has no row. */
export const folderFlags = pgTable(
  "folder_flags",
  {
    namespace: text("namespace").notNull(),
    path: pathText("path").notNull(),
    hidden: boolean("hidden").notNull().default(false),
    public: boolean("public").notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.namespace, table.path] }),
    index("folder_flags_hidden").on(table.namespace, table.path).where(sql`hidden`),
  ],
);

/** One signed receipt for each purged file. Only it and the file's audit events remain. */
export const purgeReceipts = pgTable(
  "purge_receipts",
  {
    fileId: text("file_id").primaryKey(),
    namespace: text("namespace").notNull(),
    /** Compact JWS of the service. */
    receipt: text("receipt").notNull(),
    /** Blobs still to be deleted; empty when the purge is complete. */
    blobs: jsonb("blobs").$type<string[]>().notNull(),
    purgedAt: time("purged_at").notNull(),
  },
  (table) => [index("purge_receipts_namespace").on(table.namespace, table.purgedAt)],
);

/**
 * Bytes reserved for an unfinished write, counted against the limits before they arrive. The transaction that commits the write
 * deletes the row, or the write does when it fails.
 */
export const fileReservations = pgTable(
  "file_reservations",
  {
    /** ULID; for an upload, the upload's id. */
    id: text("id").primaryKey(),
    namespace: text("namespace").notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull(),
    /** When the write must have ended, and its bytes are released. */
    expiresAt: time("expires_at").notNull(),
  },
  (table) => [index("file_reservations_namespace").on(table.namespace, table.expiresAt)],
);

export type FileRow = typeof files.$inferSelect;
export type VersionRow = typeof fileVersions.$inferSelect;
/** The columns about content that both kinds of row have. */
export type ContentRow = Pick<
  FileRow,
  | "sealedVersion"
  | "blob"
  | "size"
  | "versionKey"
  | "details"
  | "cidTag"
  | "label"
  | "pinned"
  | "writtenAt"
  | "writtenBy"
>;
