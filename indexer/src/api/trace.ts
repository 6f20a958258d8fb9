import { db } from "ponder:api";
import {
  activity,
  certificate,
  claim,
  dispute,
  eventLog,
  household,
  implementer,
  payment,
  product,
  redemption,
  supplier,
  voucher,
} from "ponder:schema";
import { and, asc, eq, gt, inArray, isNull } from "ponder";
import { batchOf } from "../../lib/activity.ts";
import { measuredOf } from "./campaign-trace.ts";
import { campaignLinks, linksOf } from "./links.ts";
import { cursorAfter, type Page } from "./page.ts";
import { presentActivity, presentCertificate, presentClaim, presentRedemption, presentVoucher } from "./present.ts";
import { presentCampaign, presentKptClaim } from "./present-campaign.ts";
import type { Subject } from "./subject.ts";

export type Voucher = typeof voucher.$inferSelect;
export type Redemption = typeof redemption.$inferSelect;

/** A voucher is reissued few times; a chain longer than this is shown in part. */
const longestChain = 100;
const mostEvents = 1_000;

/** The certificate's index; null for a campaign without one. */
function certificateIndexOf(
  subject: Subject,
  campaign: { certificateIndex: number | null } | undefined,
): number | null {
  if (subject.type === "certificate") return subject.row.index;
  if (subject.type === "campaign" || subject.type === "kpt-claim") return campaign?.certificateIndex ?? null;
  return subject.row.certificateIndex;
}

/** The vouchers of the trace: a page of the certificate's, else the one asked for with those it replaces or gave way to. */
async function vouchersOf(subject: Subject, index: number | null, page: Page): Promise<Voucher[]> {
  if (index === null) return [];
  if (subject.type === "certificate" || subject.type === "campaign" || subject.type === "kpt-claim") {
    const own = and(eq(voucher.certificateIndex, index), gt(voucher.id, page.after));
    return db.select().from(voucher).where(own).orderBy(asc(voucher.id)).limit(page.limit);
  }
  const id = subject.type === "voucher" ? subject.row.id : subject.row.voucherId;
  const chain = new Map<bigint, Voucher>();
  let wanted: bigint[] = [id];
  while (wanted.length > 0 && chain.size < longestChain) {
    const rows = await db.select().from(voucher).where(inArray(voucher.id, wanted));
    for (const row of rows) chain.set(row.id, row);
    wanted = rows
      .flatMap((row) => [row.replacesId, row.replacedById])
      .filter((next) => next !== null && !chain.has(next)) as bigint[];
  }
  return [...chain.values()].sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
}

async function redemptionsOf(subject: Subject, vouchers: Voucher[]): Promise<Redemption[]> {
  if (subject.type === "redemption" || subject.type === "claim") {
    return db.select().from(redemption).where(eq(redemption.id, subject.row.id));
  }
  const ids = vouchers.map(({ id }) => id);
  if (ids.length === 0) return [];
  return db.select().from(redemption).where(inArray(redemption.voucherId, ids)).orderBy(asc(redemption.sequence));
}

const eventsWhere = (condition: ReturnType<typeof eq>) =>
  db.select().from(activity).where(condition).orderBy(asc(activity.sequence)).limit(mostEvents);

async function historyOf(subject: Subject) {
  if (subject.type === "certificate") return eventsWhere(eq(activity.certificateIndex, subject.row.index));
  if (subject.type === "campaign") return eventsWhere(eq(activity.campaignIndex, subject.row.index));
  if (subject.type === "kpt-claim") return eventsWhere(eq(activity.kptClaimId, subject.row.id));
  if (subject.type !== "voucher") return eventsWhere(eq(activity.redemptionId, subject.row.id));
  // Two questions: their "or" would read every redemption, for which no event of a whole batch can stand.
  const ofBatch = and(eq(eventLog.batchIndex, batchOf(subject.row.id)), isNull(eventLog.voucherId));
  const [own, batch] = await Promise.all([
    eventsWhere(eq(activity.voucherId, subject.row.id)),
    db.select().from(eventLog).where(ofBatch).orderBy(asc(eventLog.sequence)).limit(mostEvents),
  ]);
  return [...batch, ...own].sort((a, b) => (a.sequence < b.sequence ? -1 : 1)).slice(0, mostEvents);
}

const byKey = <T, K>(rows: T[], key: (row: T) => K): Map<K, T> => new Map(rows.map((row) => [key(row), row]));
const unique = <T>(values: T[]): T[] => [...new Set(values)];

async function partiesOf(vouchers: Voucher[], redemptions: Redemption[]) {
  const ids = redemptions.map(({ id }) => id);
  const [households, suppliers, products, claims, payments, disputes] = await Promise.all([
    db
      .select()
      .from(household)
      .where(inArray(household.index, unique(vouchers.map((row) => row.householdIndex)))),
    db
      .select()
      .from(supplier)
      .where(inArray(supplier.index, unique(redemptions.map((row) => row.supplierIndex)))),
    db
      .select()
      .from(product)
      .where(inArray(product.index, unique(redemptions.map((row) => row.productIndex)))),
    db.select().from(claim).where(inArray(claim.id, ids)),
    db.select().from(payment).where(inArray(payment.claimId, ids)),
    db.select().from(dispute).where(inArray(dispute.claimId, ids)).orderBy(asc(dispute.sequence)),
  ]);
  return {
    households: byKey(households, (row) => row.index),
    suppliers: byKey(suppliers, (row) => row.index),
    products: byKey(products, (row) => row.index),
    claims: byKey(claims, (row) => row.id),
    payments: byKey(payments, (row) => row.claimId),
    disputes,
  };
}

async function sourceOf(index: number | null) {
  if (index === null) return {};
  const [source] = await db.select().from(certificate).where(eq(certificate.index, index));
  if (source === undefined) throw new Error(`Certificate ${index} is missing`);
  const [owner] = await db.select().from(implementer).where(eq(implementer.index, source.implementerIndex));
  return { source, owner };
}

function publicIdOf(subject: Subject): string {
  if (subject.type === "certificate") return subject.row.certificateId;
  return subject.type === "campaign" ? subject.row.campaignId : subject.row.publicId;
}

/** The chain campaign ↔ certificate ↔ voucher ↔ redemption ↔ claim ↔ payment around an id, as nested records and as links. */
export async function trace(subject: Subject, page: Page) {
  const measured = await measuredOf(subject, page);
  const index = certificateIndexOf(subject, measured?.campaign);
  const { source, owner } = await sourceOf(index);
  const vouchers = await vouchersOf(subject, index, page);
  const redemptions = await redemptionsOf(subject, vouchers);
  const parties = await partiesOf(vouchers, redemptions);
  const history = await historyOf(subject);

  const showRedemption = (row: Redemption) => {
    const claimed = parties.claims.get(row.id);
    const disputes = parties.disputes.filter(({ claimId }) => claimId === row.id);
    return {
      ...presentRedemption(row, parties.suppliers.get(row.supplierIndex), parties.products.get(row.productIndex)),
      claim: claimed === undefined ? null : presentClaim(claimed, parties.payments.get(row.id), disputes),
    };
  };
  const isPaged = subject.type === "certificate" || subject.type === "campaign" || subject.type === "kpt-claim";
  return {
    id: publicIdOf(subject),
    type: subject.type,
    campaign: measured === undefined ? null : presentCampaign(measured),
    kptClaims: measured?.claims.map(presentKptClaim) ?? [],
    certificate: source === undefined ? null : presentCertificate(source, owner),
    vouchers: vouchers.map((row) => ({
      ...presentVoucher(row, parties.households.get(row.householdIndex)),
      redemptions: redemptions.filter(({ voucherId }) => voucherId === row.id).map(showRedemption),
    })),
    links: [
      ...(measured === undefined ? [] : campaignLinks(measured, source)),
      ...(source === undefined ? [] : linksOf(source, vouchers, redemptions, parties)),
    ],
    history: history.map(presentActivity),
    nextCursor: isPaged
      ? cursorAfter(page, vouchers, subject.type === "campaign" ? (measured?.claims ?? []) : [])
      : null,
  };
}
