import { desc, eq, getTableColumns } from "drizzle-orm";
import type { FileContext, FileRef } from "../deps.ts";
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
import { fileVersions } from "../records/tables.ts";

/** The columns that an entry needs. Reading all columns of fifty rows is slower. */
const { version, sealedVersion, size, details, label, pinned, writtenAt, writtenBy } = getTableColumns(fileVersions);
const listed = { version, sealedVersion, size, details, label, pinned, writtenAt, writtenBy };

/** List the retained versions of a file, newest first, beginning with the head. @throws AppError FORBIDDEN, NOT_FOUND */
export async function listVersions(ctx: FileContext, { ref }: { ref: FileRef }): Promise<VersionList> {
  const { file, open } = await findListed(ctx, ref);
  const history = await ctx.deps.db
    .select(listed)
    .from(fileVersions)
    .where(eq(fileVersions.fileId, file.id))
    .orderBy(desc(fileVersions.version));
  // If a write happened between the two reads, the first head is in history too.
  const older = history.filter((row) => row.version < file.version);
  const versions = [entryOf(file, file, open?.key), ...older.map((row) => entryOf(file, row, open?.key))];
  return { fileId: file.id, cap: versionCap, count: versions.length, versions };
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
