import { and, asc, eq, gt, gte, inArray, lte, max, ne, or, sql } from "drizzle-orm";
import { chainTransactions } from "../../platform/chain/index.ts";
import type { Database, Transaction } from "../../platform/db/index.ts";
import type { CertificateFacts } from "./facts.ts";
import { certificateReservations, certificates } from "./tables.ts";

/** The time of a certificate, and what decides which others it is compared with. */
export type CertificateSpan = {
  /** Index of the certificate's implementer. */
  implementer: number;
  vintage: number;
  period: CertificateFacts["period"];
  /** Whether a campaign measured the reduction. Such a certificate is for the whole year of its vintage. */
  isOfCampaign: boolean;
  /** Whether the certificate has no allocation: its one voucher names its household. */
  isUnallocated: boolean;
};

/** Households and the time for which a certificate counts their reduction. */
export type HouseholdPeriod = CertificateSpan & {
  certificateId: string;
  /** Indexes of households. */
  households: ReadonlySet<number>;
};

/**
 * Whether a certificate that counts already excludes another for a common household. Their periods overlap, by a day at least; a
 * campaign's certificate is for a year, so that the same vintage is enough. Where neither is a campaign's, one without allocations
 * excludes none and is excluded by none, because a verifier may have divided one period's reduction. A campaign's certificate excludes
 * every such voucher. A voucher excludes only the campaigns of its implementer: another could name their households to hold them up.
 */
export function excludes(known: CertificateSpan, wanted: CertificateSpan): boolean {
  const overlaps = known.period.startDate <= wanted.period.endDate && wanted.period.startDate <= known.period.endDate;
  const hasCampaign = known.isOfCampaign || wanted.isOfCampaign;
  if (!overlaps && !(hasCampaign && known.vintage === wanted.vintage)) return false;
  if (wanted.isUnallocated) return known.isOfCampaign;
  if (!known.isUnallocated || known.isOfCampaign) return true;
  return wanted.isOfCampaign && known.implementer === wanted.implementer;
}

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

/** Return the number of the newest reservation; 0 if there is none. */
export async function newestReservation(db: Database): Promise<number> {
  const [newest] = await db.select({ number: max(certificateReservations.number) }).from(certificateReservations);
  return newest?.number ?? 0;
}

/**
 * Find the other certificates that reserve one of the households and exclude the wanted one, by a transaction that is open or in a
 * block. Only reservations with a number above `after` are compared.
 */
export async function certificatesReserving(
  db: Database | Transaction,
  { households, ...wanted }: HouseholdPeriod,
  after: number,
): Promise<string[]> {
  const table = certificateReservations;
  const { transactionId, certificateId, vintage, startDate, endDate, isOfCampaign, isUnallocated, number } = table;
  const reserved = await db
    .select({
      transactionId,
      certificateId,
      vintage,
      startDate,
      endDate,
      isOfCampaign,
      isUnallocated,
      implementer: certificates.implementer,
    })
    .from(table)
    .innerJoin(chainTransactions, eq(chainTransactions.id, transactionId))
    .leftJoin(certificates, eq(certificates.certificateId, certificateId))
    .where(
      and(
        gt(number, after),
        inArray(chainTransactions.status, ["open", "mined"]),
        ne(certificateId, wanted.certificateId),
        // Only what `excludes` could find is read; it decides.
        or(
          eq(vintage, wanted.vintage),
          and(lte(startDate, wanted.period.endDate), gte(endDate, wanted.period.startDate)),
        ),
        wanted.isUnallocated ? isOfCampaign : undefined,
      ),
    )
    .orderBy(asc(number));
  const rows = reserved.filter(({ startDate, endDate, implementer, ...row }) =>
    // Only a registered certificate has vouchers; the implementer of another decides nothing.
    excludes({ ...row, period: { startDate, endDate }, implementer: implementer ?? wanted.implementer }, wanted),
  );
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
