import { and, asc, desc, eq, gt, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../api/platform/db/index.ts";
import type { TableName } from "./model/table-names.ts";
import { LostRunError } from "./publish/lost-run-error.ts";
import type { RecordState } from "./states.ts";
import {
  cadTrustRecords,
  cadTrustRuns,
  cadTrustSettings,
  type RecordRow,
  type RunRow,
  type SettingsRow,
} from "./tables.ts";

export type RecordFilter = { table?: TableName | undefined; state?: RecordState | undefined };

/** The process that carries out a publication. */
export type RunOwner = Pick<RunRow, "id" | "worker">;

export type CadTrustStore = ReturnType<typeof createCadTrustStore>;

export function createCadTrustStore(db: Database) {
  const open = isNull(cadTrustRuns.endedAt);
  const ofRecord = (server: string, key: string) =>
    and(eq(cadTrustRecords.server, server), eq(cadTrustRecords.key, key));
  /**
   * Write while nobody else can take the publication. A process that was stopped for minutes between a request to the server and this
   * must not overwrite what its successor recorded: the id of a record that the server has twice decides which one is committed.
   */
  async function asOwner({ id, worker }: RunOwner, write: (tx: Transaction) => Promise<void>): Promise<void> {
    await db.transaction(async (tx) => {
      const own = and(eq(cadTrustRuns.id, id), eq(cadTrustRuns.worker, worker ?? ""), open);
      const [mine] = await tx.select({ id: cadTrustRuns.id }).from(cadTrustRuns).where(own).for("share");
      if (mine === undefined) throw new LostRunError();
      await write(tx);
    });
  }
  return {
    async settings(): Promise<SettingsRow | undefined> {
      return (await db.select().from(cadTrustSettings))[0];
    },
    /**
     * Store the settings. `known`: when the stored ones were changed last, null where there are none; undefined to replace any.
     * @returns false when others are stored
     */
    async putSettings(row: SettingsRow, known: Date | null | undefined): Promise<boolean> {
      const same = known === null ? sql`false` : known && eq(cadTrustSettings.changedAt, known);
      const stored = await db
        .insert(cadTrustSettings)
        .values(row)
        .onConflictDoUpdate({
          target: cadTrustSettings.id,
          set: row,
          ...(same === undefined ? {} : { setWhere: same }),
        })
        .returning({ id: cadTrustSettings.id });
      return stored.length === 1;
    },
    /** Every record of a server. */
    records: (server: string): Promise<RecordRow[]> =>
      db.select().from(cadTrustRecords).where(eq(cadTrustRecords.server, server)).orderBy(asc(cadTrustRecords.key)),
    /** A page of a server's records by key: one more than `limit`, to show whether a page follows. */
    recordPage(server: string, { table, state }: RecordFilter, limit: number, after?: string): Promise<RecordRow[]> {
      const found = and(
        eq(cadTrustRecords.server, server),
        table && eq(cadTrustRecords.table, table),
        state && eq(cadTrustRecords.state, state),
        after === undefined ? undefined : gt(cadTrustRecords.key, after),
      );
      return db
        .select()
        .from(cadTrustRecords)
        .where(found)
        .orderBy(asc(cadTrustRecords.key))
        .limit(limit + 1);
    },
    async stateCounts(server: string): Promise<{ state: RecordState; count: number }[]> {
      const count = sql<number>`count(*)::int`;
      const { state } = cadTrustRecords;
      return db.select({ state, count }).from(cadTrustRecords).where(eq(cadTrustRecords.server, server)).groupBy(state);
    },
    /** Store a record as the process that has the publication. @throws LostRunError when another process has it */
    putRecord: (owner: RunOwner, row: RecordRow): Promise<void> =>
      asOwner(owner, async (tx) => {
        const target = [cadTrustRecords.server, cadTrustRecords.key];
        await tx.insert(cadTrustRecords).values(row).onConflictDoUpdate({ target, set: row });
      }),
    /** @throws LostRunError when another process has the publication */
    changeRecord: (
      owner: RunOwner,
      { server, key }: RecordRow,
      change: Partial<Omit<RecordRow, "server" | "key" | "table">>,
    ): Promise<void> =>
      asOwner(owner, async (tx) => {
        await tx.update(cadTrustRecords).set(change).where(ofRecord(server, key));
      }),
    /** @throws LostRunError when another process has the publication */
    removeRecord: (owner: RunOwner, { server, key }: RecordRow): Promise<void> =>
      asOwner(owner, async (tx) => {
        await tx.delete(cadTrustRecords).where(ofRecord(server, key));
      }),
    /** Add a publication. @returns false when one of its server is open */
    async addRun(row: RunRow): Promise<boolean> {
      return (
        (await db.insert(cadTrustRuns).values(row).onConflictDoNothing().returning({ id: cadTrustRuns.id })).length ===
        1
      );
    },
    async run(id: string): Promise<RunRow | undefined> {
      return (await db.select().from(cadTrustRuns).where(eq(cadTrustRuns.id, id)))[0];
    },
    async openRun(server: string): Promise<RunRow | undefined> {
      return (
        await db
          .select()
          .from(cadTrustRuns)
          .where(and(eq(cadTrustRuns.server, server), open))
      )[0];
    },
    /** Publications, newest first, after the given position: one more than `limit`. */
    runs(limit: number, after?: { createdAt: Date; id: string }): Promise<RunRow[]> {
      const earlier =
        after &&
        or(
          lt(cadTrustRuns.createdAt, after.createdAt),
          and(eq(cadTrustRuns.createdAt, after.createdAt), lt(cadTrustRuns.id, after.id)),
        );
      return db
        .select()
        .from(cadTrustRuns)
        .where(earlier)
        .orderBy(desc(cadTrustRuns.createdAt), desc(cadTrustRuns.id))
        .limit(limit + 1);
    },
    /** Whether a publication is open, whichever process works on it. */
    async isAnyOpen(): Promise<boolean> {
      return (await db.select({ id: cadTrustRuns.id }).from(cadTrustRuns).where(open).limit(1)).length > 0;
    },
    /** Take an open publication that nobody works on. `until`: when another process may take it, unless this one continues. */
    async takeRun(worker: string, now: Date, until: Date): Promise<RunRow | undefined> {
      const due = and(open, lte(cadTrustRuns.nextTryAt, now));
      const [found] = await db
        .select({ id: cadTrustRuns.id })
        .from(cadTrustRuns)
        .where(due)
        .orderBy(asc(cadTrustRuns.nextTryAt))
        .limit(1);
      if (found === undefined) return undefined;
      const [row] = await db
        .update(cadTrustRuns)
        .set({ worker, nextTryAt: until })
        .where(and(due, eq(cadTrustRuns.id, found.id)))
        .returning();
      return row;
    },
    /** Change a publication that this worker took. @returns false when another worker has it */
    async changeRun(id: string, worker: string, change: Partial<RunRow>): Promise<boolean> {
      const own = and(eq(cadTrustRuns.id, id), eq(cadTrustRuns.worker, worker), open);
      return (await db.update(cadTrustRuns).set(change).where(own).returning({ id: cadTrustRuns.id })).length === 1;
    },
  };
}
