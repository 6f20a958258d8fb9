import { and, eq, gt, isNull, lte, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../platform/db/index.ts";
import type { FileDeps } from "../deps.ts";
import { changeNamespace } from "../records/namespace-lock.ts";
import { fileReservations, namespaces } from "../records/tables.ts";
import { fileUploads } from "../uploads/tables.ts";
import { overQuota, overTotal } from "./errors.ts";

/** Bytes to reserve for a write, in addition to a reservation of the same id. */
export type Reserving = {
  id: string;
  namespace: string;
  bytes: number;
  expiresAt: Date;
  /** As `FileCaller.quotaPercent`. */
  quotaPercent?: number | undefined;
};

type ReserveDeps = Pick<FileDeps, "db" | "config" | "clock">;

/**
 * How long an upload may keep its reservation without sending bytes, in milliseconds, plus the same time for each hundredth of
 * its size that has arrived. After that, other writes may use the reserved bytes.
 */
export const holdMs = 600_000;

/** Id of the advisory lock for reservations from the limit of the whole store. */
const totalLock = sql.raw("7325461109871224");

/** The bytes that a write may fill of a quota or a limit; undefined without one. */
export function shareOf(whole: number | undefined, percent = 100): number | undefined {
  return whole === undefined ? undefined : Number((BigInt(whole) * BigInt(percent)) / 100n);
}

/** True when a quota or a store limit is configured. */
export function isLimited({ namespaceQuotaBytes, storeLimitBytes }: ReserveDeps["config"]["files"]): boolean {
  return namespaceQuotaBytes !== undefined || storeLimitBytes !== undefined;
}

/**
 * Reserve bytes of the namespace and of the store for a write. If there are not enough, release the reservations of dead writes
 * and idle uploads first.
 * @throws AppError TOO_LARGE
 */
export async function reserveBytes(deps: ReserveDeps, reserving: Reserving): Promise<void> {
  await reserveWith(deps, reserving, async () => {});
}

/** As reserveBytes, with more work in the same transaction, which locks the namespace's row. */
export async function reserveWith(
  deps: ReserveDeps,
  reserving: Reserving,
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const tryOnce = () =>
    deps.db.transaction(async (tx) => {
      const error = await reserve(tx, deps, reserving);
      if (error === undefined) await work(tx);
      return error;
    });
  const error = await tryOnce();
  if (error === undefined) return;
  const released = (await releaseExpired(deps)) + (await releaseIdleUploads(deps));
  const again = released > 0 ? await tryOnce() : error;
  if (again !== undefined) throw again;
}

async function reserve(tx: Transaction, { config: { files } }: ReserveDeps, wanted: Reserving) {
  const { quotaPercent } = wanted;
  const quota = shareOf(files.namespaceQuotaBytes, quotaPercent);
  const total = shareOf(files.storeLimitBytes, quotaPercent);
  // Always locked before a namespace's row, so that two reservations never deadlock.
  if (total !== undefined) {
    await tx.execute(sql`select pg_advisory_xact_lock(${totalLock})`);
    const { rows } = await tx.execute<{ held: string | number }>(
      sql`select coalesce(sum(bytes + reserved), 0) as held from namespaces`,
    );
    if (Number(rows[0]?.held ?? 0) + wanted.bytes > total) return overTotal(total, quotaPercent);
  }
  const { namespace, bytes } = wanted;
  // One statement, so that the limit is checked with the locked row, not with the row from before the lock.
  const limit = quota ?? null;
  const { rows } = await tx.execute(sql`
    insert into namespaces (namespace, reserved)
    select ${namespace}, ${bytes}::bigint where ${limit}::bigint is null or ${bytes}::bigint <= ${limit}::bigint
    on conflict (namespace) do update set reserved = namespaces.reserved + excluded.reserved
      where ${limit}::bigint is null or namespaces.bytes + namespaces.reserved + excluded.reserved <= ${limit}::bigint
    returning namespace`);
  if (rows.length === 0) return overQuota(quota ?? 0, await heldBy(tx, namespace), quotaPercent);
  await addReserved(tx, wanted);
  return undefined;
}

async function heldBy(tx: Transaction, namespace: string): Promise<number> {
  const [row] = await tx.select().from(namespaces).where(eq(namespaces.namespace, namespace));
  return (row?.bytes ?? 0) + (row?.reserved ?? 0);
}

/** Read the bytes that are reserved under the id; 0 for none. */
export async function reservedBytes(db: Database | Transaction, id: string): Promise<number> {
  const [row] = await db.select().from(fileReservations).where(eq(fileReservations.id, id));
  return row?.bytes ?? 0;
}

type Reservation = Pick<Reserving, "id" | "namespace">;

/** Release all of a reservation. Does nothing without one. */
export async function releaseBytes(deps: Pick<FileDeps, "db">, reservation: Reservation): Promise<void> {
  await changeNamespace(deps, reservation.namespace, (tx) => releaseDownTo(tx, reservation, 0));
}

/** Reduce a reservation to `bytes`. The transaction must have locked the namespace's row. */
export async function releaseDownTo(tx: Transaction, { id, namespace }: Reservation, bytes: number): Promise<void> {
  const freed = (await reservedBytes(tx, id)) - bytes;
  if (freed <= 0) return;
  await setReserved(tx, id, bytes);
  await tx.execute(sql`update namespaces set reserved = reserved - ${freed} where namespace = ${namespace}`);
}

/**
 * Move up to `to.bytes` from one reservation to another of the same namespace, whose row the transaction must have locked. @param
 * keep bytes that stay in the first @returns the moved bytes
 */
export async function moveReserved(tx: Transaction, from: string, to: Reserving, keep = 0): Promise<number> {
  const held = await reservedBytes(tx, from);
  const moved = Math.min(held - keep, to.bytes);
  if (moved <= 0) return 0;
  await setReserved(tx, from, held - moved);
  await addReserved(tx, { ...to, bytes: moved });
  return moved;
}

async function setReserved(tx: Transaction, id: string, bytes: number): Promise<void> {
  const own = eq(fileReservations.id, id);
  if (bytes === 0) await tx.delete(fileReservations).where(own);
  else await tx.update(fileReservations).set({ bytes }).where(own);
}

async function addReserved(tx: Transaction, { id, namespace, bytes, expiresAt }: Reserving): Promise<void> {
  await tx.execute(sql`
    insert into file_reservations (id, namespace, bytes, expires_at)
    values (${id}, ${namespace}, ${bytes}, ${expiresAt.toISOString()})
    on conflict (id) do update set bytes = file_reservations.bytes + excluded.bytes`);
}

/** Release the reservations of writes that can no longer be running. @returns how many */
export async function releaseExpired({ db, clock }: Pick<ReserveDeps, "db" | "clock">): Promise<number> {
  const { id, namespace, expiresAt } = fileReservations;
  const dead = await db.select({ id, namespace }).from(fileReservations).where(lte(expiresAt, clock.now())).limit(1000);
  for (const each of dead) await releaseBytes({ db }, each);
  return dead.length;
}

/**
 * Release the unused reservations of uploads that are too slow. Anyone can announce a large upload and send nothing. Such an
 * upload may continue while there is space. A running request has its bytes in a separate reservation, which is not released.
 * @returns how many there were
 */
async function releaseIdleUploads({ db, clock }: Pick<ReserveDeps, "db" | "clock">): Promise<number> {
  const { id, namespace, size, received, fileId, createdAt } = fileUploads;
  const shares = sql`(1 + 100 * ${received}::float8 / nullif(${size}, 0))`;
  const isIdle = sql`${createdAt} + ${shares} * ${holdMs}::float8 * interval '1 millisecond' <= ${clock.now().toISOString()}`;
  const idle = await db
    .select({ id, namespace })
    .from(fileUploads)
    .innerJoin(fileReservations, eq(fileReservations.id, id))
    .where(and(isNull(fileId), gt(fileReservations.bytes, received), isIdle))
    .limit(1000);
  for (const each of idle) {
    await changeNamespace({ db }, each.namespace, async (tx) => {
      await releaseDownTo(tx, each, await receivedBytes(tx, each.id));
    });
  }
  return idle.length;
}

/** Bytes of the parts that an upload has; 0 without one. */
export async function receivedBytes(tx: Transaction, uploadId: string): Promise<number> {
  const { received } = fileUploads;
  const [row] = await tx.select({ received }).from(fileUploads).where(eq(fileUploads.id, uploadId));
  return row?.received ?? 0;
}
