import { eq, sql } from "drizzle-orm";
import { purgeReceipts } from "../tables.ts";
import type { Check, FsckDeps } from "./report.ts";

const unfinished = sql`jsonb_array_length(${purgeReceipts.blobs}) > 0`;

/** Committed purges whose blobs are not all deleted. Their keys are gone, so the bytes tell nothing. */
export async function checkPurges(check: Check): Promise<void> {
  const count = await check.deps.db.$count(purgeReceipts, unfinished);
  if (count === 0) return;
  const message = `${count} purges have blobs that are still to be deleted.`;
  await check.found({ kind: "purge-unfinished", message }, () => finishPurges(check.deps));
}

/** Delete the blobs that committed purges have left. How many purges were finished. */
export async function finishPurges({ db, files: { blobs } }: FsckDeps): Promise<number> {
  const receipts = await db
    .select({ fileId: purgeReceipts.fileId, blobs: purgeReceipts.blobs })
    .from(purgeReceipts)
    .where(unfinished);
  for (const receipt of receipts) {
    for (const blob of receipt.blobs) await blobs.delete(blob);
    await db.update(purgeReceipts).set({ blobs: [] }).where(eq(purgeReceipts.fileId, receipt.fileId));
  }
  return receipts.length;
}
