import { and, asc, eq, gte, inArray, lte, ne, or, sql } from "drizzle-orm";
import { chainTransactions } from "../../platform/chain/index.ts";
import type { Database, Transaction } from "../../platform/db/index.ts";
import type { CertificateFacts } from "./facts.ts";
import { certificateReservations } from "./tables.ts";

/** Households and the time for which a certificate counts their reduction. */
export type HouseholdPeriod = {
  certificateId: string;
  /** Indexes of households. */
  households: ReadonlySet<number>;
  vintage: number;
  period: CertificateFacts["period"];
  /** Whether a campaign measured the reduction. Such a certificate is for the whole year of its vintage. */
  isOfCampaign: boolean;
  /** Whether the certificate has no allocation, and its one voucher names the household. Two such certificates are not compared. */
  isByVoucher: boolean;
};

/** Reserve the households for the certificate of a transaction of the outbox, in the database transaction that stores it. */
export async function saveReservation(
  tx: Transaction,
  transactionId: number,
  { certificateId, households, vintage, period, isOfCampaign, isByVoucher }: HouseholdPeriod,
): Promise<void> {
  const { startDate, endDate } = period;
  const packed = packHouseholds(households);
  const time = { vintage, startDate, endDate, isOfCampaign };
  await tx
    .insert(certificateReservations)
    .values({ transactionId, certificateId, households: packed, ...time, isByVoucher });
}

/** Id of the advisory lock under which households are reserved. Any fixed number. */
const reservationLock = 4_729_313;

/** Wait until no other database transaction reserves households, and keep others waiting until this one ends. */
export async function lockReservations(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${reservationLock})`);
}

/** A reservation, by the transaction of the outbox that it was stored with. */
export type Reservation = { transactionId: number; certificateId: string };

/** Find the transactions of other certificates' reservations for the same time, whatever their households. */
export async function reservationsOfTime(db: Database, counted: HouseholdPeriod): Promise<Set<number>> {
  return new Set((await ofSameTime(db, counted)).map(({ transactionId }) => transactionId));
}

/**
 * Find the reservations of other certificates for one of the households and the same time, by a transaction that is open or in a block.
 * @param known transactions of reservations to leave out
 */
export async function reservationsOf(
  db: Database | Transaction,
  counted: HouseholdPeriod,
  known: ReadonlySet<number> = new Set(),
): Promise<Reservation[]> {
  const table = certificateReservations;
  const found: Reservation[] = [];
  // One at a time: the households of a large certificate take half a megabyte.
  for (const row of await ofSameTime(db, counted)) {
    if (known.has(row.transactionId)) continue;
    const [stored] = await db
      .select({ households: table.households })
      .from(table)
      .where(eq(table.transactionId, row.transactionId));
    if (stored !== undefined && haveCommon(unpackHouseholds(stored.households), counted.households)) found.push(row);
  }
  return found;
}

async function ofSameTime(
  db: Database | Transaction,
  { certificateId, vintage, period, isOfCampaign, isByVoucher }: HouseholdPeriod,
): Promise<Reservation[]> {
  const table = certificateReservations;
  const overlaps = and(lte(table.startDate, period.endDate), gte(table.endDate, period.startDate));
  const isSameVintage = eq(table.vintage, vintage);
  return db
    .select({ transactionId: table.transactionId, certificateId: table.certificateId })
    .from(table)
    .innerJoin(chainTransactions, eq(chainTransactions.id, table.transactionId))
    .where(
      and(
        inArray(chainTransactions.status, ["open", "mined"]),
        ne(table.certificateId, certificateId),
        isByVoucher ? eq(table.isByVoucher, false) : undefined,
        or(overlaps, isOfCampaign ? isSameVintage : and(isSameVintage, eq(table.isOfCampaign, true))),
      ),
    )
    .orderBy(asc(table.transactionId));
}

const HOUSEHOLD_BYTES = 4;

/** Pack indexes of households, 4 bytes each. */
export function packHouseholds(households: ReadonlySet<number>): Uint8Array {
  const packed = Buffer.alloc(households.size * HOUSEHOLD_BYTES);
  let offset = 0;
  for (const household of households) offset = packed.writeUInt32BE(household, offset);
  return packed;
}

export function unpackHouseholds(packed: Uint8Array): Set<number> {
  const view = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  const households = new Set<number>();
  for (let offset = 0; offset < view.length; offset += HOUSEHOLD_BYTES) households.add(view.readUInt32BE(offset));
  return households;
}

export function haveCommon(some: Iterable<number>, others: ReadonlySet<number>): boolean {
  for (const household of some) if (others.has(household)) return true;
  return false;
}
