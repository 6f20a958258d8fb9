import { and, eq, inArray, lt, sql } from "drizzle-orm";
import type { Database } from "../db/index.ts";
import { idempotencyRecords as records } from "./tables.ts";

export type RecordName = { keyId: string; route: string; idempotencyKey: string };
/** A stored response. `body` is null where it held a secret; then `madeId` is the id of the record that was created. */
export type StoredResponse = { status: number; headers: Record<string, string>; body: string | null; madeId?: string };
export type RecordRow = typeof records.$inferSelect;
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

/** When an owner that no longer renews loses a record, by the database's clock. A running owner renews three times in that span. */
const lease = sql`now() + interval '30 seconds'`;
const never = new Date(0);

/** Create the store of idempotent writes. `owner` names this process. */
export function createIdempotencyStore(db: Database, owner: string) {
  const named = ({ keyId, route, idempotencyKey }: RecordName) =>
    and(eq(records.keyId, keyId), eq(records.route, route), eq(records.idempotencyKey, idempotencyKey));
  return {
    /** Insert a record that this process runs; false when one with that name exists. */
    async insert(id: string, name: RecordName, requestHash: string, createdAt: Date): Promise<boolean> {
      const row = {
        id,
        ...name,
        requestHash,
        status: "running" as const,
        leaseOwner: owner,
        leaseUntil: lease,
        createdAt,
      };
      const inserted = await db.insert(records).values(row).onConflictDoNothing().returning({ id: records.id });
      return inserted.length === 1;
    },
    async find(name: RecordName): Promise<RecordRow | undefined> {
      const [row] = await db.select().from(records).where(named(name));
      return row;
    },
    /** Take over an interrupted record; false when its owner still runs or another process was faster. */
    async takeOver(id: string): Promise<boolean> {
      const free = and(eq(records.id, id), eq(records.status, "running"), lt(records.leaseUntil, sql`now()`));
      const taken = await db
        .update(records)
        .set({ leaseOwner: owner, leaseUntil: lease })
        .where(free)
        .returning({ id: records.id });
      return taken.length === 1;
    },
    async renew(ids: string[]): Promise<void> {
      await db
        .update(records)
        .set({ leaseUntil: lease })
        .where(and(inArray(records.id, ids), eq(records.leaseOwner, owner)));
    },
    async finish(id: string, answer: StoredResponse): Promise<void> {
      const { status, headers, body, madeId } = answer;
      const done = { status: "done" as const, answerStatus: status, answerHeaders: headers, answerBody: body };
      const made = madeId === undefined ? {} : { madeId };
      await db
        .update(records)
        .set({ ...done, ...made })
        .where(eq(records.id, id));
    },
    /** Release the record, so that the next attempt can take it immediately, under the same id. */
    async release(id: string): Promise<void> {
      await db
        .update(records)
        .set({ leaseUntil: never })
        .where(and(eq(records.id, id), eq(records.leaseOwner, owner)));
    },
    async remove(id: string): Promise<void> {
      await db.delete(records).where(eq(records.id, id));
    },
    async removeOlderThan(moment: Date): Promise<void> {
      await db.delete(records).where(lt(records.createdAt, moment));
    },
    /** Release all records, after a start as the only process. */
    async releaseAll(): Promise<void> {
      await db.update(records).set({ leaseUntil: never }).where(eq(records.status, "running"));
    },
  };
}
