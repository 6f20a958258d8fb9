import { eq } from "drizzle-orm";
import type { Database, Transaction } from "../db/index.ts";
import { idempotencyRecords as records } from "./tables.ts";

/** Change the database. @returns the id of what was made or changed */
export type Change = (tx: Transaction) => Promise<string>;

/**
 * Change the database at most once for a request with an Idempotency-Key. The request's record gets the id of what was changed in the
 * same transaction. A repeat of the request, after a kill came before its response, finds the id there and changes nothing.
 * @param idempotencyKey the id of the request's record; undefined for a request without an Idempotency-Key
 * @param prepare checks the current state, and returns the change. A repeat skips it: the checks would fail because of what the
 *   interrupted attempt has changed
 * @returns the id of what this attempt, or an interrupted one, has made or changed
 */
export async function changeOnce(
  db: Database,
  { idempotencyKey }: { idempotencyKey?: string | undefined },
  prepare: () => Promise<Change>,
): Promise<string> {
  if (idempotencyKey === undefined) return await db.transaction(await prepare());
  const ofRequest = eq(records.id, idempotencyKey);
  const [before] = await db.select({ id: records.madeId }).from(records).where(ofRequest);
  if (before?.id) return before.id;
  const change = await prepare();
  return await db.transaction(async (tx) => {
    // An attempt of another process, which lost the record's lease, may still run.
    const [now] = await tx.select({ id: records.madeId }).from(records).where(ofRequest).for("update");
    if (now?.id) return now.id;
    const id = await change(tx);
    await tx.update(records).set({ madeId: id }).where(ofRequest);
    return id;
  });
}
