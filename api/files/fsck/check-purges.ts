import { sql } from "drizzle-orm";
import { finishPurges } from "../purge/finish-purges.ts";
import { purgeReceipts } from "../records/tables.ts";
import type { Check } from "./report.ts";

/** Find committed purges with blobs that are not deleted yet. Their keys are destroyed, so nobody can decrypt the bytes. */
export async function checkPurges(check: Check): Promise<void> {
  const unfinished = sql`jsonb_array_length(${purgeReceipts.blobs}) > 0`;
  const count = await check.deps.db.$count(purgeReceipts, unfinished);
  if (count === 0) return;
  const message = `${count} purges have blobs that are still to be deleted.`;
  await check.found({ kind: "purge-unfinished", message }, () => finishPurges(check.deps));
}
