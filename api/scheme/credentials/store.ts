import { randomInt } from "node:crypto";
import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database, Transaction } from "../../platform/db/index.ts";
import { issuedCredentials, statusEntries, statusLists } from "./tables.ts";

export type StatusPlace = { list: number; entry: number };
export type IssuedRow = typeof issuedCredentials.$inferInsert;
/** `revoked` grows with every bit that is set, so it identifies a list's states. */
export type ListState = { revoked: number; changedAt: Date };

export type ListShape = {
  /** Number of entries in a list. */
  size: number;
  /** Number of entries allocated before the next list begins. */
  filled: number;
};

/**
 * Allocate a random status entry in the newest list for each subject without one.
 * Two processes never allocate the same entry: the newest list's row is locked and the entry is a primary key.
 */
export async function allocateEntries(
  db: Database,
  { subjects, shape, at }: { subjects: readonly string[]; shape: ListShape; at: Date },
): Promise<Map<string, StatusPlace>> {
  const places = await findEntries(db, subjects);
  for (;;) {
    const missing = [...new Set(subjects)].filter((subject) => !places.has(subject));
    if (missing.length === 0) return places;
    // Subjects whose random entry was taken, here or by another process, are tried again in the next round.
    const given = await db.transaction((tx) => allocateSome(tx, missing, shape, at));
    for (const { statusOf, list, entry } of given) places.set(statusOf, { list, entry });
    const left = missing.filter((subject) => !places.has(subject));
    for (const [subject, place] of await findEntries(db, left)) places.set(subject, place);
  }
}

async function findEntries(db: Database, subjects: readonly string[]): Promise<Map<string, StatusPlace>> {
  if (subjects.length === 0) return new Map();
  const rows = await db
    .select()
    .from(statusEntries)
    .where(inArray(statusEntries.statusOf, [...subjects]));
  return new Map(rows.map(({ statusOf, list, entry }) => [statusOf, { list, entry }]));
}

async function allocateSome(tx: Transaction, subjects: string[], { size, filled }: ListShape, at: Date) {
  const newest = await lockNewest(tx);
  const room = newest === undefined ? 0 : filled - newest.entries;
  if (newest === undefined || room <= 0) {
    const list = (newest?.list ?? 0) + 1;
    await tx.insert(statusLists).values({ list, entries: 0, revoked: 0, changedAt: at }).onConflictDoNothing();
    return [];
  }
  const { list } = newest;
  const values = subjects.slice(0, room).map((statusOf) => ({ list, entry: randomInt(size), statusOf }));
  const given = await tx.insert(statusEntries).values(values).onConflictDoNothing().returning();
  await tx
    .update(statusLists)
    .set({ entries: sql`${statusLists.entries} + ${given.length}` })
    .where(eq(statusLists.list, list));
  return given;
}

async function lockNewest(tx: Transaction) {
  const [newest] = await tx.select().from(statusLists).orderBy(desc(statusLists.list)).limit(1).for("update");
  return newest;
}

/** Store tokens by their hashes; existing rows stay unchanged. */
export async function noteIssued(db: Database, rows: readonly IssuedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insert(issuedCredentials)
    .values([...rows])
    .onConflictDoNothing();
}

/** Set the bit of an issued credential. Returns its list; undefined when no such credential was issued. */
export async function revokeIssued(
  db: Database,
  { hash, reason, at }: { hash: Hex; reason: string; at: Date },
): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    const [issued] = await tx.select().from(issuedCredentials).where(eq(issuedCredentials.hash, hash));
    if (issued === undefined) return undefined;
    const { list, entry } = issued;
    // Lock the list before the entry, in the same order as allocation.
    const own = eq(statusLists.list, list);
    await tx.select().from(statusLists).where(own).for("update");
    const [changed] = await tx
      .update(statusEntries)
      .set({ revokedAt: at, reason })
      .where(and(eq(statusEntries.list, list), eq(statusEntries.entry, entry), isNull(statusEntries.revokedAt)))
      .returning();
    if (changed === undefined) return list;
    await tx
      .update(statusLists)
      .set({ revoked: sql`${statusLists.revoked} + 1`, changedAt: at })
      .where(own);
    return list;
  });
}

/** Read the current state of a list; undefined when no list has that number. */
export async function readListState(db: Database, list: number): Promise<ListState | undefined> {
  const [row] = await db.select().from(statusLists).where(eq(statusLists.list, list));
  return row;
}

/** Read a list's state and its set entries in one snapshot. */
export async function readRevoked(
  db: Database,
  list: number,
): Promise<(ListState & { revokedEntries: number[] }) | undefined> {
  const revokedEntries = sql<number[]>`(select coalesce(jsonb_agg(${statusEntries.entry}), '[]') from ${statusEntries}
    where ${statusEntries.list} = ${statusLists.list} and ${statusEntries.revokedAt} is not null)`;
  const [row] = await db
    .select({ revoked: statusLists.revoked, changedAt: statusLists.changedAt, revokedEntries })
    .from(statusLists)
    .where(eq(statusLists.list, list));
  return row;
}
