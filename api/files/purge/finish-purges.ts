import { inArray, sql } from "drizzle-orm";
import { deleteBlobs } from "../blobs/delete-blobs.ts";
import type { FileDeps } from "../deps.ts";
import { purgeReceipts } from "../records/tables.ts";

/**
 * Finish committed purges: destroy the replaced secrets, then delete the blobs.
 * @param fileIds the purged files; by default all with an unfinished purge
 */
export async function finishPurges(deps: Pick<FileDeps, "db" | "files">, fileIds?: readonly string[]): Promise<void> {
  const { db, files } = deps;
  await files.keys.destroyRetired();
  await files.step?.("purge-shredded");
  const chosen =
    fileIds === undefined
      ? sql`jsonb_array_length(${purgeReceipts.blobs}) > 0`
      : inArray(purgeReceipts.fileId, [...fileIds]);
  const open = await db
    .select({ id: purgeReceipts.fileId, blobs: purgeReceipts.blobs })
    .from(purgeReceipts)
    .where(chosen);
  if (open.length === 0) return;
  await deleteBlobs(
    files.blobs,
    open.flatMap(({ blobs }) => blobs),
  );
  await files.step?.("purge-blobs-deleted");
  const ids = open.map(({ id }) => id);
  await db.update(purgeReceipts).set({ blobs: [] }).where(inArray(purgeReceipts.fileId, ids));
}
