import { and, asc, eq, gt, gte, inArray, lte, max, ne, or, sql } from "drizzle-orm";
import { chainTransactions } from "../../platform/chain/index.ts";
import type { Database, Transaction } from "../../platform/db/index.ts";
import type { CertificateFacts } from "./facts.ts";
import { certificateReservations, certificates } from "./tables.ts";

/** Households and the time for which a certificate counts their reduction. */
export type HouseholdPeriod = {
  certificateId: string;
  /** Indexes of households. */
  households: ReadonlySet<number>;
  vintage: number;
  period: CertificateFacts["period"];
  /** Whether a campaign measured the reduction. Such a certificate is for the whole year of its vintage. */
  isOfCampaign: boolean;
  /**
   * Whether the certificate has no allocation: its one voucher names its household. Only campaigns' certificates conflict with it, and
   * of these only those of its implementer have to respect it: another could name their households to hold them up.
   */
  isUnallocated: boolean;
  /** Index of the certificate's implementer. */
  implementer: number;
};

/** Reserve the households for the certificate of a transaction of the outbox, in the database transaction that stores it. */
export async function saveReservation(
  tx: Transaction,
  transactionId: number,
  { certificateId, households, vintage, period, isOfCampaign, isUnallocated }: HouseholdPeriod,
): Promise<void> {
  await tx.insert(certificateReservations).values({
    transactionId,
    certificateId,
    households: packHouseholds(households),
    vintage,
    startDate: period.startDate,
    endDate: period.endDate,
    isOfCampaign,
    isUnallocated,
  });
}

/** Key of the advisory lock; any fixed number. */
const reservationLock = 580_217_364;

/**
 * Wait until no other database transaction makes reservations. Those of one sender are stored one after another anyway; vouchers and
 * certificates have different senders.
 */
export async function waitForOtherReservations(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${reservationLock})`);
}

/** Return the transaction of the newest reservation; 0 if there is none. */
export async function newestReservation(db: Database): Promise<number> {
  const [newest] = await db.select({ id: max(certificateReservations.transactionId) }).from(certificateReservations);
  return newest?.id ?? 0;
}

/**
 * Find the other certificates that reserve one of the households for the same time, by a transaction after `after` that is open or in
 * a block.
 */
export async function certificatesReserving(
  db: Database | Transaction,
  { certificateId, households, vintage, period, isOfCampaign, isUnallocated, implementer }: HouseholdPeriod,
  after: number,
): Promise<string[]> {
  const table = certificateReservations;
  const overlaps = and(lte(table.startDate, period.endDate), gte(table.endDate, period.startDate));
  const isSameVintage = eq(table.vintage, vintage);
  const ofCampaign = eq(table.isOfCampaign, true);
  const isOwn = eq(certificates.implementer, implementer);
  const rows = await db
    .select({ transactionId: table.transactionId, certificateId: table.certificateId })
    .from(table)
    .innerJoin(chainTransactions, eq(chainTransactions.id, table.transactionId))
    .leftJoin(certificates, eq(certificates.certificateId, table.certificateId))
    .where(
      and(
        gt(table.transactionId, after),
        inArray(chainTransactions.status, ["open", "mined"]),
        ne(table.certificateId, certificateId),
        or(overlaps, isOfCampaign ? isSameVintage : and(isSameVintage, ofCampaign)),
        isUnallocated ? ofCampaign : or(eq(table.isUnallocated, false), isOfCampaign ? isOwn : ofCampaign),
      ),
    )
    .orderBy(asc(table.transactionId));
  const found = new Set<string>();
  // One at a time: the households of a large certificate take half a megabyte.
  for (const row of rows) {
    const [stored] = await db
      .select({ households: table.households })
      .from(table)
      .where(eq(table.transactionId, row.transactionId));
    if (stored !== undefined && haveCommon(unpackHouseholds(stored.households), households))
      found.add(row.certificateId);
  }
  return [...found];
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
