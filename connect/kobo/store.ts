import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../api/platform/db/index.ts";
import { type BellRow, type ConnectionRow, koboBells, koboConnections } from "./tables.ts";

export type KoboStore = ReturnType<typeof createKoboStore>;
export type BellKey = Pick<BellRow, "connectionId" | "rootUuid">;
export type BellCounts = { waiting: number; failing: number; lastError: string | null };

export function createKoboStore(db: Database) {
  const ofBell = ({ connectionId, rootUuid }: BellKey) =>
    and(eq(koboBells.connectionId, connectionId), eq(koboBells.rootUuid, rootUuid));
  const isDue = lt(koboBells.ringsDone, koboBells.rings);
  const isFree = (now: Date) => or(isNull(koboBells.leaseUntil), lte(koboBells.leaseUntil, now));
  return {
    /** Add a connection. @returns false when its project is connected already */
    async insert(tx: Transaction, row: ConnectionRow): Promise<boolean> {
      const made = await tx
        .insert(koboConnections)
        .values(row)
        .onConflictDoNothing()
        .returning({ id: koboConnections.id });
      return made.length === 1;
    },
    async find(id: string): Promise<ConnectionRow | undefined> {
      return (await db.select().from(koboConnections).where(eq(koboConnections.id, id)))[0];
    },
    async change(id: string, changes: Partial<ConnectionRow>, tx: Database | Transaction = db): Promise<void> {
      await tx.update(koboConnections).set(changes).where(eq(koboConnections.id, id));
    },
    /** Remove a connection whose hook was not made, with bells of a hook that was made although Kobo did not say so. */
    async remove(tx: Transaction, id: string): Promise<void> {
      await tx.delete(koboBells).where(eq(koboBells.connectionId, id));
      await tx.delete(koboConnections).where(eq(koboConnections.id, id));
    },
    /** List connections, oldest first, after the given position: one more than `limit`, to show whether a page follows. */
    list(limit: number, after?: { createdAt: Date; id: string }): Promise<ConnectionRow[]> {
      const { createdAt, id } = koboConnections;
      const later = after && or(gt(createdAt, after.createdAt), and(eq(createdAt, after.createdAt), gt(id, after.id)));
      return db
        .select()
        .from(koboConnections)
        .where(later)
        .orderBy(asc(createdAt), asc(id))
        .limit(limit + 1);
    },
    /** Connections that are not revoked. */
    active: (): Promise<ConnectionRow[]> =>
      db.select().from(koboConnections).where(isNull(koboConnections.revokedAt)).orderBy(asc(koboConnections.id)),
    /** Connections that were made before a time, and have no hook. */
    withoutHook: (before: Date): Promise<ConnectionRow[]> =>
      db
        .select()
        .from(koboConnections)
        .where(
          and(
            isNull(koboConnections.revokedAt),
            isNull(koboConnections.hookUid),
            lt(koboConnections.createdAt, before),
          ),
        )
        .orderBy(asc(koboConnections.id)),
    /** Store that a record is new or changed. */
    async ring({ connectionId, rootUuid }: BellKey, now: Date): Promise<void> {
      const fresh = {
        connectionId,
        rootUuid,
        rings: 1,
        ringsDone: 0,
        tries: 0,
        nextTryAt: now,
        leaseUntil: null,
        lastError: null,
        instanceId: null,
        submissionId: null,
        rungAt: now,
      };
      await db
        .insert(koboBells)
        .values(fresh)
        .onConflictDoUpdate({
          target: [koboBells.connectionId, koboBells.rootUuid],
          set: { rings: sql`${koboBells.rings} + 1`, nextTryAt: now, tries: 0, rungAt: now },
        });
    },
    /** Bells to handle now, those that wait longest first. */
    async due(now: Date, limit: number): Promise<BellRow[]> {
      const found = await db
        .select({ bell: koboBells })
        .from(koboBells)
        .innerJoin(koboConnections, eq(koboConnections.id, koboBells.connectionId))
        .where(and(isDue, lte(koboBells.nextTryAt, now), isFree(now), isNull(koboConnections.revokedAt)))
        .orderBy(asc(koboBells.nextTryAt))
        .limit(limit);
      return found.map(({ bell }) => bell);
    },
    /** Whether a bell waits, also one that is not due yet. */
    async isAnyOpen(): Promise<boolean> {
      const found = await db
        .select({ id: koboBells.connectionId })
        .from(koboBells)
        .innerJoin(koboConnections, eq(koboConnections.id, koboBells.connectionId))
        .where(and(isDue, isNull(koboConnections.revokedAt)))
        .limit(1);
      return found.length > 0;
    },
    /** Take a bell until `leaseUntil`. @returns undefined when another process has it, or nothing is left to do */
    async take(key: BellKey, now: Date, leaseUntil: Date): Promise<BellRow | undefined> {
      const free = and(ofBell(key), isDue, isFree(now));
      return (await db.update(koboBells).set({ leaseUntil }).where(free).returning())[0];
    },
    /** Keep a bell that is taken until a later `leaseUntil`. Does nothing for one that is free again. */
    async renew(key: BellKey, leaseUntil: Date): Promise<void> {
      await db
        .update(koboBells)
        .set({ leaseUntil })
        .where(and(ofBell(key), isNotNull(koboBells.leaseUntil)));
    },
    async changeBell(key: BellKey, changes: Partial<BellRow>): Promise<void> {
      await db.update(koboBells).set(changes).where(ofBell(key));
    },
    /** End the rings that were there when the bell was taken. One that rang meanwhile stays due. */
    async finish(bell: BellRow, lastError: string | null): Promise<void> {
      await db
        .update(koboBells)
        .set({ ringsDone: bell.rings, tries: 0, leaseUntil: null, lastError })
        .where(ofBell(bell));
    },
    /** The versions of these records that are stored; null for a record that is not stored yet. */
    async versionsOf(connectionId: string, rootUuids: string[]): Promise<Map<string, string | null>> {
      if (rootUuids.length === 0) return new Map();
      const found = await db
        .select({ rootUuid: koboBells.rootUuid, instanceId: koboBells.instanceId })
        .from(koboBells)
        .where(and(eq(koboBells.connectionId, connectionId), inArray(koboBells.rootUuid, rootUuids)));
      return new Map(found.map(({ rootUuid, instanceId }) => [rootUuid, instanceId]));
    },
    /** How many records of a connection wait to be read, how many of them failed, and why the latest one did. */
    async countsOf(connectionId: string): Promise<BellCounts> {
      const ofConnection = eq(koboBells.connectionId, connectionId);
      const waiting = await db.$count(koboBells, and(ofConnection, isDue));
      const failing = await db.$count(koboBells, and(ofConnection, isDue, sql`${koboBells.lastError} is not null`));
      const [last] = await db
        .select({ lastError: koboBells.lastError })
        .from(koboBells)
        .where(and(ofConnection, sql`${koboBells.lastError} is not null`))
        .orderBy(sql`${koboBells.rungAt} desc`)
        .limit(1);
      return { waiting, failing, lastError: last?.lastError ?? null };
    },
  };
}
