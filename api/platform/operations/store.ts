import { and, asc, eq, gt, gte, inArray, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/index.ts";
import { type OperationRowStatus, type OperationStatus, operationRows, operations } from "./tables.ts";

export type OperationRow = typeof operations.$inferSelect;
export type QueuedRow = { index: number; input: unknown };
export type RowResult = { index: number; status: "succeeded" | "failed"; answer: unknown };
export type Progress = { done: number; total: number; failed: number };
export type OperationStore = ReturnType<typeof createOperationStore>;

/** When an owner loses an operation that it does not renew, by the database's clock. It renews three times in that span. */
const lease = sql`now() + interval '15 seconds'`;
const never = new Date(0);
const insertChunk = 250;

/** Thrown when another process has taken over the operation: this one must stop and write nothing more. */
export class LeaseLostError extends Error {
  constructor(id: string) {
    super(`Operation ${id} is run by another process now.`);
    this.name = "LeaseLostError";
  }
}

/** Create the store of operations. `owner` names this process; it cannot change an operation that another process owns. */
export function createOperationStore(db: Database, owner: string) {
  const owned = (id: string) => and(eq(operations.id, id), eq(operations.leaseOwner, owner));

  async function updateOwned(
    id: string,
    values: Partial<typeof operations.$inferInsert>,
    tx: Database | Transaction = db,
  ) {
    const updated = await tx.update(operations).set(values).where(owned(id)).returning({ id: operations.id });
    if (updated.length === 0) throw new LeaseLostError(id);
  }

  return {
    /** Insert the operation with its rows, all or nothing; false when it exists already. Rows add to its total. */
    insert(
      operation: typeof operations.$inferInsert,
      rows: Iterable<unknown> | AsyncIterable<unknown>,
    ): Promise<boolean> {
      return db.transaction(async (tx) => {
        const inserted = await tx
          .insert(operations)
          .values(operation)
          .onConflictDoNothing()
          .returning({ id: operations.id });
        if (inserted.length === 0) return false;
        const stored = await insertRows(tx, operation.id, rows);
        const total = sql`${operations.total} + ${stored}`;
        if (stored > 0) await tx.update(operations).set({ total }).where(eq(operations.id, operation.id));
        return true;
      });
    },

    async find(id: string): Promise<OperationRow | undefined> {
      const [row] = await db.select().from(operations).where(eq(operations.id, id));
      return row;
    },

    /** Claim the oldest operation of these types that no process runs. Two processes never get the same one. */
    async claim(types: string[]): Promise<OperationRow | undefined> {
      const open = inArray(operations.status, ["queued", "running"]);
      const free = or(isNull(operations.leaseUntil), lt(operations.leaseUntil, sql`now()`));
      const next = db
        .select({ id: operations.id })
        .from(operations)
        .where(and(inArray(operations.type, types), open, free, isNull(operations.waitsUntil)))
        .orderBy(asc(operations.createdAt))
        .limit(1)
        .for("update", { skipLocked: true });
      const claimed = await db
        .update(operations)
        .set({ status: "running", leaseOwner: owner, leaseUntil: lease, updatedAt: sql`now()` })
        .where(inArray(operations.id, next))
        .returning();
      return claimed[0];
    },

    renew: (id: string) => updateOwned(id, { leaseUntil: lease as unknown as Date }),

    /** Release the operation, so that it can be claimed immediately, or after `delaySeconds` when it failed. */
    release: (id: string, attempts: number, delaySeconds = 0) =>
      updateOwned(id, {
        status: "queued",
        attempts,
        leaseUntil:
          delaySeconds === 0 ? never : (sql`now() + make_interval(secs => ${delaySeconds})` as unknown as Date),
      }),

    progress: (id: string, { done, total, failed }: Progress, now: Date) =>
      updateOwned(id, { done, total, failed, updatedAt: now }),

    finish: (
      id: string,
      values: { status: OperationStatus; result?: unknown; error?: OperationRow["error"]; updatedAt: Date },
    ) => updateOwned(id, { ...values, leaseUntil: never }),

    /** Pause the operation until `resume` or `resumeDue`. */
    wait: (id: string, until: Date, now: Date) =>
      updateOwned(id, { status: "queued", waitsUntil: until, leaseUntil: never, updatedAt: now }),

    /** Resume an operation if it is paused. */
    async resume(id: string): Promise<void> {
      await db.update(operations).set({ waitsUntil: null }).where(eq(operations.id, id));
    },

    /** Resume all operations of a type whose time has come. @returns whether there was any */
    async resumeDue(type: string, now: Date): Promise<boolean> {
      const isDue = and(eq(operations.status, "queued"), lte(operations.waitsUntil, now));
      const due = await db
        .update(operations)
        .set({ waitsUntil: null })
        .where(and(eq(operations.type, type), isDue))
        .returning({ id: operations.id });
      return due.length > 0;
    },

    /** Queue an operation again that ended with the given status. */
    async restart(id: string, from: "failed" | "cancelled"): Promise<void> {
      const again = { status: "queued", attempts: 0, error: null, result: null, leaseUntil: never } as const;
      await db
        .update(operations)
        .set(again)
        .where(and(eq(operations.id, id), eq(operations.status, from)));
    },

    /** List the next rows without an answer, in order, from index `from`. */
    queuedRows(id: string, limit: number, from: number): Promise<QueuedRow[]> {
      return db
        .select({ index: operationRows.index, input: operationRows.input })
        .from(operationRows)
        .where(
          and(eq(operationRows.operationId, id), eq(operationRows.status, "queued"), gte(operationRows.index, from)),
        )
        .orderBy(asc(operationRows.index))
        .limit(limit);
    },

    /** Store answers and update the progress, in one transaction. A row that has an answer keeps it. */
    async finishRows(id: string, answers: RowResult[], now: Date, within?: Transaction): Promise<void> {
      const work = async (tx: Transaction) => {
        const result = await tx.execute<{ status: OperationRowStatus }>(sql`
          update ${operationRows} as kept set status = given.status, answer = given.answer
          from jsonb_to_recordset(${JSON.stringify(answers)}::jsonb) as given(index int, status text, answer jsonb)
          where kept.operation_id = ${id} and kept.index = given.index and kept.status = 'queued'
          returning kept.status`);
        const failed = result.rows.filter(({ status }) => status === "failed").length;
        const counted = await tx
          .update(operations)
          .set({
            done: sql`${operations.done} + ${result.rows.length}`,
            failed: sql`${operations.failed} + ${failed}`,
            updatedAt: now,
          })
          .where(owned(id))
          .returning({ id: operations.id });
        if (counted.length === 0) throw new LeaseLostError(id);
      };
      await (within === undefined ? db.transaction(work) : work(within));
    },

    listRows(id: string, limit: number, after: number | undefined, status: OperationRowStatus | undefined) {
      const later = after === undefined ? undefined : gt(operationRows.index, after);
      const chosen = status === undefined ? undefined : eq(operationRows.status, status);
      return db
        .select()
        .from(operationRows)
        .where(and(eq(operationRows.operationId, id), later, chosen))
        .orderBy(asc(operationRows.index))
        .limit(limit + 1);
    },

    /** List a caller's operations of these types that have ended since a time. */
    endedSince(keyId: string, types: readonly string[], since: Date): Promise<{ id: string; endedAt: Date }[]> {
      const hasEnded = inArray(operations.status, ["succeeded", "partial", "failed"]);
      return db
        .select({ id: operations.id, endedAt: operations.updatedAt })
        .from(operations)
        .where(
          and(
            inArray(operations.type, [...types]),
            gte(operations.updatedAt, since),
            hasEnded,
            sql`${operations.actor} ->> 'keyId' = ${keyId}`,
          ),
        );
    },

    /** Release all operations, after a start as the only process. */
    async releaseAll(): Promise<void> {
      await db.update(operations).set({ leaseUntil: never }).where(eq(operations.status, "running"));
    },
  };
}

async function insertRows(
  tx: Transaction,
  id: string,
  rows: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<number> {
  let stored = 0;
  let chunk: unknown[] = [];
  const flush = async () => {
    await tx.execute(sql`
      insert into ${operationRows} (operation_id, index, status, input)
      select ${id}, ${stored}::int + ordinal - 1, 'queued', value
      from jsonb_array_elements(${JSON.stringify(chunk)}::jsonb) with ordinality as given(value, ordinal)`);
    stored += chunk.length;
    chunk = [];
  };
  for await (const row of rows) {
    chunk.push(row);
    if (chunk.length === insertChunk) await flush();
  }
  if (chunk.length > 0) await flush();
  return stored;
}
