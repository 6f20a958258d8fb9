import { eq } from "drizzle-orm";
import type { Database, Transaction } from "../db/index.ts";
import { idempotencyRecords as records } from "./tables.ts";

/** Change the database. @returns the id of what was made or changed */
export type Change = (tx: Transaction) => Promise<string>;

/** Replace secrets of what an interrupted attempt has made. @returns the id, which may differ */
export type Renewal = (tx: Transaction, id: string) => Promise<string>;

type Request = { idempotencyKey?: string | undefined };

const ofRequest = (idempotencyKey: string) => eq(records.id, idempotencyKey);

/**
 * Change the database at most once for a request with an Idempotency-Key. The request's record gets the id of what was changed in the
 * same transaction. A repeat of the request, after a kill came before its response, finds the id there and changes nothing.
 * @param idempotencyKey the id of the request's record; undefined for a request without an Idempotency-Key
 * @param prepare checks the current state, and returns the change. A repeat skips it: the checks would fail because of what the
 *   interrupted attempt has changed
 * @param renew for a response with secrets that are not kept: a repeat cannot show them, so it replaces them. Nobody has the former
 *   ones, since a response is sent only once its record is done
 * @returns the id of what this attempt, or an interrupted one, has made or changed
 */
export async function changeOnce(
  db: Database,
  { idempotencyKey }: Request,
  prepare: () => Promise<Change>,
  renew?: Renewal,
): Promise<string> {
  if (idempotencyKey === undefined) return await db.transaction(await prepare());
  const [before] = await db.select({ id: records.madeId }).from(records).where(ofRequest(idempotencyKey));
  if (before?.id && renew === undefined) return before.id;
  const change = before?.id ? undefined : await prepare();
  return await db.transaction(async (tx) => {
    // An attempt of another process, which lost the record's lease, may still run.
    const locked = tx.select({ id: records.madeId }).from(records).where(ofRequest(idempotencyKey)).for("update");
    const made = (await locked)[0]?.id;
    if (made && renew === undefined) return made;
    const id = made ? await renew?.(tx, made) : await change?.(tx);
    if (id === undefined) throw new Error("What was made is not there any more.");
    await tx.update(records).set({ madeId: id }).where(ofRequest(idempotencyKey));
    return id;
  });
}

/** Forget what a request has changed, in the transaction that takes it back. A repeat of the request then changes it again. */
export async function forgetChange(tx: Transaction, { idempotencyKey }: Request): Promise<void> {
  if (idempotencyKey !== undefined) await tx.update(records).set({ madeId: null }).where(ofRequest(idempotencyKey));
}
