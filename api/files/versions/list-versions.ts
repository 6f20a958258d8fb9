import { sql } from "drizzle-orm";
import type { FileContext, FileDeps, FileRef } from "../deps.ts";
import type { FileKey } from "../keys/key-types.ts";
import { damagedDetails, isDamage } from "../records/damaged-file.ts";
import {
  type FoundFile,
  toVersionEntry,
  type VersionEntry,
  type VersionList,
  versionCap,
} from "../records/file-metadata.ts";
import { detailsOf, findFile, openFileAnyway } from "../records/find-file.ts";

/** List the retained versions of a file, newest first, beginning with the head. @throws AppError FORBIDDEN, NOT_FOUND */
export async function listVersions(ctx: FileContext, { ref }: { ref: FileRef }): Promise<VersionList> {
  const { file, open } = await findListed(ctx, ref);
  const history = await readHistory(ctx.deps, file.id);
  // If a write happened between the two reads, the first head is in history too.
  const older = history.filter((row) => row.version < file.version);
  const versions = [entryOf(file, file, open?.key), ...older.map((row) => entryOf(file, row, open?.key))];
  return { fileId: file.id, cap: versionCap, count: versions.length, versions };
}

type HistoryRow = [
  version: number,
  sealedVersion: number,
  size: number,
  details: string,
  label: string | null,
  pinned: boolean,
  writtenAt: number,
  writtenBy: string,
];

/** Read the superseded versions, newest first, as one JSON value: reading fifty rows costs more than all the rest of a list. */
async function readHistory({ db }: FileDeps, fileId: string): Promise<ListedRow[]> {
  const { rows } = await db.execute<{ history: HistoryRow[] }>(sql`
    select coalesce(json_agg(json_build_array(version, sealed_version, size, encode(details, 'base64'), label, pinned,
      (extract(epoch from written_at) * 1000)::bigint, written_by) order by version desc), '[]') as history
    from file_versions where file_id = ${fileId}`);
  const history = rows[0]?.history ?? [];
  return history.map(([version, sealedVersion, size, details, label, pinned, writtenAt, writtenBy]) => ({
    version,
    sealedVersion,
    size,
    details: Buffer.from(details, "base64"),
    label,
    pinned,
    writtenAt: new Date(writtenAt),
    writtenBy,
  }));
}

/** Find the file and its key; the key is undefined when it is damaged. */
async function findListed(ctx: FileContext, ref: FileRef): Promise<{ file: FoundFile; open?: { key: FileKey } }> {
  try {
    const open = await openFileAnyway(ctx, "fs/read", ref);
    return { file: open.file, open };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { file: await findFile(ctx, "fs/read", ref) };
  }
}

type ListedRow = Parameters<typeof toVersionEntry>[1] & Parameters<typeof detailsOf>[2];

/** Build a version's entry; if it cannot be decrypted, it is marked as damaged. */
function entryOf(file: FoundFile, row: ListedRow, key: FileKey | undefined): VersionEntry {
  try {
    if (key !== undefined) return toVersionEntry(file, row, detailsOf(key, file.id, row));
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return { ...toVersionEntry(file, row, damagedDetails), damaged: true };
}
