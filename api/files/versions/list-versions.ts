import { desc, eq } from "drizzle-orm";
import type { FileContext, FileRef } from "../deps.ts";
import { detailsOf, openFile } from "../find.ts";
import { toVersionEntry, type VersionList, versionCap } from "../records.ts";
import { fileVersions } from "../tables.ts";

/** The retained versions of a file, the head first, then history from new to old. @throws AppError FORBIDDEN, NOT_FOUND */
export async function listVersions(ctx: FileContext, { ref }: { ref: FileRef }): Promise<VersionList> {
  const { file, key, details } = await openFile(ctx, "fs/read", ref);
  const history = await ctx.deps.db
    .select()
    .from(fileVersions)
    .where(eq(fileVersions.fileId, file.id))
    .orderBy(desc(fileVersions.version));
  // A write between the two reads would show the head that was read in both.
  const older = history.filter((row) => row.version < file.version);
  const versions = [
    toVersionEntry(file, file, details),
    ...older.map((row) => toVersionEntry(file, row, detailsOf(key, file.id, row))),
  ];
  return { fileId: file.id, cap: versionCap, count: versions.length, versions };
}
