import type { Transaction } from "../../platform/db/index.ts";
import { AppError, type RuleDetail } from "../../platform/errors.ts";
import { householdsIn } from "./allocation-tree.ts";
import type { CertificateDeps } from "./deps.ts";
import {
  type CertificateSpan,
  certificatesReserving,
  excludes,
  type HouseholdPeriod,
  haveCommon,
  newestReservation,
  saveReservation,
  waitForOtherReservations,
} from "./reservations.ts";
import { readRevocation } from "./revocation.ts";
import type { CertificateRow } from "./tables.ts";

type PeriodDeps = Pick<CertificateDeps, "certificates" | "chain" | "db">;

const RULE = "household-period-certified-once";
const ROWS_PER_READ = 100;

/**
 * The households and the time that a certificate counts.
 * @param campaignHouseholds indexes of the households whose reduction the certificate's campaign measured
 */
export function countedBy(
  {
    certificateId,
    implementer,
    vintage,
    period,
  }: Pick<HouseholdPeriod, "certificateId" | "implementer" | "vintage" | "period">,
  leaves: Uint8Array,
  campaignHouseholds?: ReadonlySet<number>,
): HouseholdPeriod {
  const households = new Set(campaignHouseholds);
  for (const household of householdsIn(leaves)) households.add(household);
  return {
    certificateId,
    implementer,
    households,
    vintage,
    period,
    isOfCampaign: campaignHouseholds !== undefined,
    isUnallocated: false,
  };
}

/**
 * Find the certificates, registered or about to be, that count one of the households and exclude the counted one. A certificate counts
 * until its revocation is final.
 */
export async function certificatesOfHouseholds(deps: PeriodDeps, counted: HouseholdPeriod): Promise<string[]> {
  // First the reservations: a transaction that is mined meanwhile is then found on chain.
  const reserved = await certificatesReserving(deps.db, counted, 0);
  const found = new Set(await registeredWithHouseholds(deps, counted));
  for (const certificateId of reserved) {
    const row = await deps.certificates.byId(certificateId);
    if (row === null || (await isInForce(deps, row))) found.add(certificateId);
  }
  return [...found];
}

async function registeredWithHouseholds(deps: PeriodDeps, counted: HouseholdPeriod): Promise<string[]> {
  const { certificates } = deps;
  await certificates.catchUp();
  const ofCampaigns = await certificatesOfCampaigns(deps);
  const found: string[] = [];
  for await (const rows of mayConflict(deps, counted, ofCampaigns)) {
    const compared = rows.filter(
      (row) =>
        row.certificateId !== counted.certificateId && excludes(spanOf(row, ofCampaigns.has(row.certificate)), counted),
    );
    const byVoucher = await householdsOfVouchers(deps, compared);
    for (const row of compared) {
      const theirs = byVoucher.get(row.certificate) ?? householdsIn(await certificates.leavesOf(row.certificate));
      if (haveCommon(theirs, counted.households) && (await isInForce(deps, row))) found.push(row.certificateId);
    }
  }
  return found;
}

/** The certificates that may exclude a counted one, some at a time: of one without allocations only those of campaigns (`excludes`). */
async function* mayConflict(
  { certificates }: PeriodDeps,
  { isUnallocated }: HouseholdPeriod,
  ofCampaigns: ReadonlySet<number>,
): AsyncGenerator<CertificateRow[]> {
  if (isUnallocated) {
    const rows = await Promise.all([...ofCampaigns].map((certificate) => certificates.byIndex(certificate)));
    return yield rows.filter((row) => row !== null);
  }
  for (let after = 0; ; ) {
    const rows = await certificates.store.listAfter(after, ROWS_PER_READ);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.certificate;
  }
}

/** What a registered certificate is compared by. */
function spanOf({ facts, implementer }: CertificateRow, isOfCampaign: boolean): CertificateSpan {
  const { vintage, period, allocationCount } = facts;
  return { implementer, vintage, period, isOfCampaign, isUnallocated: allocationCount === 0 };
}

/** The households of those certificates that have no allocation: their vouchers name them. */
async function householdsOfVouchers(
  { chain }: PeriodDeps,
  rows: readonly CertificateRow[],
): Promise<Map<number, number[]>> {
  const unallocated = rows.filter(({ facts }) => facts.allocationCount === 0).map(({ certificate }) => certificate);
  const found = new Map<number, number[]>(unallocated.map((certificate) => [certificate, []]));
  if (unallocated.length === 0) return found;
  for (const { args } of await chain.past("vouchers", "VoucherIssued", { certificate: unallocated })) {
    found.get(args.certificate)?.push(args.household);
  }
  return found;
}

async function certificatesOfCampaigns({ chain }: PeriodDeps): Promise<Set<number>> {
  const linked = await chain.past("campaigns", "CampaignCertified", {});
  return new Set(linked.map(({ args }) => args.certificate));
}

/** Whether a certificate counts: until its revocation is final the guardian may veto it. */
export async function isInForce(
  { chain }: Pick<PeriodDeps, "chain">,
  { certificate }: CertificateRow,
): Promise<boolean> {
  return (await readRevocation(chain, certificate))?.isFinal !== true;
}

/** List what prevents a certificate from counting these households: a household's year supports one. */
export async function householdPeriodProblems(
  deps: PeriodDeps,
  counted: HouseholdPeriod,
  path: string,
): Promise<RuleDetail[]> {
  const certificateIds = await certificatesOfHouseholds(deps, counted);
  return certificateIds.map((certificateId) => problemOf(certificateId, path));
}

function problemOf(certificateId: string, path: string): RuleDetail {
  const message = `Certificate ${certificateId} is for some of these households and the same period.`;
  return { path, rule: RULE, message };
}

/** What a call that registers or allocates a certificate adds to `submitCall`. */
export type ReservingCall = {
  review: () => Promise<void>;
  alsoStore: (tx: Transaction, transactionId: number) => Promise<void>;
};

/**
 * Return what a call that registers or allocates a certificate adds to `submitCall`, so that of two certificates for a household's
 * year only one reaches the chain. Households are reserved in the database transaction that stores the call in the outbox. Such
 * transactions are stored one after another, so each sees the reservations that were made since its check.
 */
export function reservingCall(deps: PeriodDeps, counted: HouseholdPeriod): ReservingCall {
  let checkedUpTo = 0;
  return {
    review: async () => {
      checkedUpTo = await newestReservation(deps.db);
      refuseShared(await certificatesOfHouseholds(deps, counted), counted);
    },
    alsoStore: async (tx: Transaction, transactionId: number) => {
      await waitForOtherReservations(tx);
      refuseShared(await certificatesReserving(tx, counted, checkedUpTo), counted);
      await saveReservation(tx, transactionId, counted);
    },
  };
}

/** Reserve the household of the one voucher of a certificate without allocations: what its issue or reissue adds to `submitCall`. */
export function voucherReservingCall(
  deps: PeriodDeps,
  { certificateId, implementer, facts: { vintage, period } }: CertificateRow,
  household: number,
): ReservingCall {
  return reservingCall(deps, {
    certificateId,
    implementer,
    households: new Set([household]),
    vintage,
    period,
    isOfCampaign: false,
    isUnallocated: true,
  });
}

/** Whether a call was not stored because another certificate reserves its households. */
export function isHouseholdPeriodConflict(error: unknown): boolean {
  return error instanceof AppError && error.details.some(({ rule }) => rule === RULE);
}

/** @throws AppError CONFLICT when there are certificates with the same households */
function refuseShared(certificateIds: string[], { isUnallocated }: HouseholdPeriod): void {
  const path = isUnallocated ? "recipientDid" : "allocations";
  const [first, ...more] = certificateIds.map((id) => problemOf(id, path));
  if (first !== undefined) throw new AppError("CONFLICT", first.message, { details: [first, ...more] });
}
