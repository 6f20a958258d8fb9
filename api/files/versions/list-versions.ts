import { desc, eq, getTableColumns } from "drizzle-orm";
import type { FileContext, FileRef } from "../deps.ts";
import { detailsOf, openFile } from "../find.ts";
import { toVersionEntry, type VersionList, versionCap } from "../records.ts";
import { fileVersions } from "../tables.ts";

/** What an entry is made of; the rest of fifty rows is not worth its way. */
const { version, sealedVersion, size, details, label, pinned, writtenAt, writtenBy } = getTableColumns(fileVersions);
const listed = { version, sealedVersion, size, details, label, pinned, writtenAt, writtenBy };

/** The retained versions of a file, the head first, then history from new to old. @throws AppError FORBIDDEN, NOT_FOUND */
export async function listVersions(ctx: FileContext, { ref }: { ref: FileRef }): Promise<VersionList> {
  const head = await openFile(ctx, "fs/read", ref);
  const { file, key } = head;
  const history = await ctx.deps.db
    .select(listed)
    .from(fileVersions)
    .where(eq(fileVersions.fileId, file.id))
    .orderBy(desc(fileVersions.version));
  // A write between the two reads would show the head that was read in both.
  const older = history.filter((row) => row.version < file.version);
  const versions = [
    toVersionEntry(file, file, head.details),
    ...older.map((row) => toVersionEntry(file, row, detailsOf(key, file.id, row))),
  ];
  return { fileId: file.id, cap: versionCap, count: versions.length, versions };
}
