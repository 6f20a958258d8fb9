import { and, eq } from "drizzle-orm";
import { type Ability, notFound } from "../../platform/ucan/index.ts";
import { eventBy } from "../audit/event-by.ts";
import { type ContentRange, type ReadInput, readBytes, readContent } from "../content/read-content.ts";
import type { FileContext, FileDeps, FileRef } from "../deps.ts";
import type { FileKey } from "../keys/key-types.ts";
import { type ContentDetails, type FileMetadata, toMetadata } from "../records/file-metadata.ts";
import { detailsOf, type OpenFile, openFile, openFileAnyway } from "../records/find-file.ts";
import { type ContentRow, fileVersions, type VersionRow } from "../records/tables.ts";

/** One version, ready to be read. */
export type OpenedContent = {
  /** The current state of the file, for any version. */
  file: FileMetadata;
  version: number;
  cid: string;
  contentHash: string;
  size: number;
  mimeType: string;
  /** When the version was written. */
  updatedAt: Date;
  /** Read the plaintext, or its bytes `start` to `end`, both included. Fails mid-stream at a damaged segment. */
  stream: (range?: ContentRange) => AsyncIterable<Uint8Array>;
  /** As `stream`, in one piece, for content or a range that fits into memory. */
  bytes: (range?: ContentRange) => Promise<Buffer<ArrayBuffer>>;
};

export type OpenContentInput = { ref: FileRef /** Absent: the head. */; version?: number | undefined };

/**
 * Open a version's bytes. @throws AppError FORBIDDEN; NOT_FOUND for a file or version that is missing or that the caller may not
 * see
 */
export async function openContent(ctx: FileContext, { ref, version }: OpenContentInput): Promise<OpenedContent> {
  const found = await openVersion(ctx, "fs/read", ref, version);
  return prepareContent(ctx, found);
}

/** A version, and the head of its file. */
export type FoundVersion = {
  head: OpenFile;
  row: ContentRow;
  /** The listed version number. */
  version: number;
  details: ContentDetails;
};

/** Find a version of a file that the caller may use the ability on. @throws AppError FORBIDDEN, NOT_FOUND */
export async function openVersion(
  ctx: FileContext,
  ability: Ability,
  ref: FileRef,
  version?: number,
): Promise<FoundVersion> {
  const { damaged, ...head } = await openFileAnyway(ctx, ability, ref);
  if (version === undefined || version === head.file.version) {
    return headVersion(damaged ? await openFile(ctx, ability, ref) : head);
  }
  const row = await findVersion(ctx.deps, head.file.id, version);
  if (row === undefined) throw notFound();
  return { head, row, version, details: detailsOf(head.key, head.file.id, row) };
}

export function headVersion(head: OpenFile): FoundVersion {
  return { head, row: head.file, version: head.file.version, details: head.details };
}

async function findVersion(deps: FileDeps, fileId: string, version: number): Promise<VersionRow | undefined> {
  // No version has a number outside the column's range.
  if (!Number.isInteger(version) || version < 1 || version > 2_147_483_647) return undefined;
  const wanted = and(eq(fileVersions.fileId, fileId), eq(fileVersions.version, version));
  const [row] = await deps.db.select().from(fileVersions).where(wanted);
  return row;
}

/** Prepare a version for reading, after the access check, and record the read in the audit. */
export function prepareContent(ctx: FileContext, found: FoundVersion): OpenedContent {
  const { head, version } = found;
  ctx.deps.files.audit.recordRead({ ...eventBy(ctx), kind: "read", fileId: head.file.id, version });
  return contentOf(ctx, found);
}

/** Describe a version, with the functions that read its bytes. */
export function contentOf(ctx: ReadContext, { head, row, version, details }: FoundVersion): OpenedContent {
  const { file, key } = head;
  return {
    file: toMetadata(file, head.details, ctx.deps.config.publicUrl),
    version,
    cid: details.cid,
    contentHash: details.contentHash,
    size: row.size,
    mimeType: details.mimeType,
    updatedAt: row.writtenAt,
    stream: (range) => streamContent(ctx, { fileId: file.id, key, row, range }),
    bytes: (range) => contentBytes(ctx, { fileId: file.id, key, row, range }),
  };
}

type ReadContext = Pick<FileContext, "deps" | "signal">;
type Streamed = { fileId: string; key: FileKey; row: ContentRow; range?: ContentRange | undefined };

export function streamContent(ctx: ReadContext, streamed: Streamed): AsyncIterable<Uint8Array> {
  return readContent(ctx.deps.files, readInput(ctx, streamed));
}

/** As streamContent, in one piece. */
export function contentBytes(ctx: ReadContext, streamed: Streamed): Promise<Buffer<ArrayBuffer>> {
  return readBytes(ctx.deps.files, readInput(ctx, streamed));
}

function readInput({ deps, signal }: ReadContext, { fileId, key, row, range }: Streamed): ReadInput {
  return {
    fileId,
    version: row.sealedVersion,
    key: deps.files.keys.openVersionKey(key, row.versionKey),
    blob: row.blob,
    size: row.size,
    ...(range === undefined ? {} : { range }),
    ...(signal === undefined ? {} : { signal }),
  };
}
