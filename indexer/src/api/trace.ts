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
  supplier,
} from "ponder:schema";
import type { LosslessNumber } from "lossless-json";
import { and, asc, eq, inArray, isNull } from "ponder";
import { requireDeployment } from "../../../deployments/deployment.ts";
import type { TraceEvent, TraceReport } from "../../../wire/src/reports.ts";
import { batchOf } from "../../lib/activity.ts";
import { settingsFrom } from "../../lib/settings.ts";
import { type Measured, measuredOf } from "./campaign-trace.ts";
import { flowLinks, itmoLinks } from "./flow-links.ts";
import {
  type Gathered,
  gatherForth,
  gatherItmos,
  gatherSwap,
  gatherTransaction,
  type Redemption,
  type Voucher,
} from "./gather.ts";
import { convertedOf, serializeParts, swapsOf } from "./itmo-trace.ts";
import { campaignLinks, linksOf } from "./links.ts";
import type { Page } from "./page.ts";
import {
  amount,
  serializeActivity,
  serializeCertificate,
  serializeClaim,
  serializeRedemption,
  serializeVoucher,
} from "./serialize.ts";
import { serializeCampaign, serializeKptClaim } from "./serialize-campaign.ts";
import { serializeLot, serializeMove } from "./serialize-itmo.ts";
import type { Subject } from "./subject.ts";

const mostEvents = 1_000;
const { contracts } = await requireDeployment(settingsFrom(process.env).deployment);

const eventsWhere = (condition: ReturnType<typeof eq>) =>
  db.select().from(activity).where(condition).orderBy(asc(activity.sequence)).limit(mostEvents);

async function historyOf(subject: Subject) {
  if (subject.type === "certificate") return eventsWhere(eq(activity.certificateIndex, subject.row.index));
  if (subject.type === "campaign") return eventsWhere(eq(activity.campaignIndex, subject.row.index));
  if (subject.type === "kpt-claim") return eventsWhere(eq(activity.kptClaimId, subject.row.id));
  if (subject.type === "swap") return eventsWhere(eq(activity.sequence, subject.row.sequence));
  if (subject.type === "transaction") return eventsWhere(eq(activity.transactionHash, subject.hash));
  if (subject.type === "itmo-block" && subject.block !== undefined) {
    return eventsWhere(eq(activity.itmoBlockId, subject.block.id));
  }
  if ("serials" in subject) return eventsWhere(eq(activity.conversionIndex, subject.row.index));
  if (subject.type !== "voucher") return eventsWhere(eq(activity.redemptionId, subject.row.id));
  // Two queries, because one with "or" would read every redemption.
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

/** Read the certificates of vouchers, or of the subject itself, with their implementers. */
async function sourcesOf(indexes: number[]) {
  if (indexes.length === 0) return { sources: new Map<number, Certificate>(), owners: new Map<number, Owner>() };
  const found = await db.select().from(certificate).where(inArray(certificate.index, indexes));
  const owners = await db
    .select()
    .from(implementer)
    .where(inArray(implementer.index, unique(found.map((row) => row.implementerIndex))));
  return { sources: byKey(found, (row) => row.index), owners: byKey(owners, (row) => row.index) };
}

type Certificate = typeof certificate.$inferSelect;
type Owner = typeof implementer.$inferSelect;

function publicIdOf(subject: Subject): string {
  if (subject.type === "certificate") return subject.row.certificateId;
  if (subject.type === "campaign") return subject.row.campaignId;
  if (subject.type === "transaction") return subject.hash;
  return "serials" in subject ? subject.id : subject.row.publicId;
}

/** The certificate that a subject belongs to directly; null for a campaign without one. */
function certificateIndexOf(subject: Subject, measured: Measured | undefined): number | null {
  if (subject.type === "certificate") return subject.row.index;
  if (subject.type === "campaign" || subject.type === "kpt-claim") return measured?.campaign.certificateIndex ?? null;
  return subject.type === "voucher" || subject.type === "redemption" || subject.type === "claim"
    ? subject.row.certificateIndex
    : null;
}

/** Gather the rows around the subject, and their campaign and certificates. */
async function gather(subject: Subject, page: Page) {
  if (subject.type === "swap" || subject.type === "transaction" || "serials" in subject) {
    const gathered =
      subject.type === "swap"
        ? await gatherSwap(subject, page)
        : subject.type === "transaction"
          ? await gatherTransaction(subject.hash)
          : await gatherItmos(subject, page);
    const indexes = unique([
      ...gathered.vouchers.map((row) => row.certificateIndex),
      ...gathered.lots.flatMap((row) => row.certificateIndex ?? []),
    ]);
    const only = indexes.length === 1 ? (indexes[0] ?? null) : null;
    return { gathered, indexes, measured: await measuredOf(subject, only, page) };
  }
  const measured = await measuredOf(subject, certificateIndexOf(subject, undefined), page);
  const index = certificateIndexOf(subject, measured);
  const claims = subject.type === "campaign" ? (measured?.claims ?? []) : [];
  return {
    gathered: await gatherForth(subject, index, page, claims),
    indexes: index === null ? [] : [index],
    measured,
  };
}

/** Serialize each voucher with its redemptions, each with its claim, payment and disputes. */
async function serializeChain({ vouchers, redemptions }: Gathered) {
  const parties = await partiesOf(vouchers, redemptions);
  const showRedemption = (row: Redemption) => {
    const claimed = parties.claims.get(row.id);
    const disputes = parties.disputes.filter(({ claimId }) => claimId === row.id);
    return {
      ...serializeRedemption(row, parties.suppliers.get(row.supplierIndex), parties.products.get(row.productIndex)),
      claim: claimed === undefined ? null : serializeClaim(claimed, parties.payments.get(row.id), disputes),
    };
  };
  const shown = vouchers.map((row) => ({
    ...serializeVoucher(row, parties.households.get(row.householdIndex)),
    redemptions: redemptions.filter(({ voucherId }) => voucherId === row.id).map(showRedemption),
  }));
  return { vouchers: shown, parties };
}

/** The report before serialization: numbers from the chain keep all digits. */
type UnwrittenTrace = Omit<TraceReport, "history"> & {
  history: (Omit<TraceEvent, "blockNumber"> & { blockNumber: LosslessNumber })[];
};

/**
 * The chain campaign ↔ certificate ↔ voucher ↔ redemption ↔ claim ↔ payment ↔ swap ↔ conversion ↔ ITMO block ↔ action
 * around an id, as records and as links. CARBON is fungible: from escrow on, first in, first out.
 */
export async function trace(subject: Subject, page: Page): Promise<UnwrittenTrace> {
  const { gathered, indexes, measured } = await gather(subject, page);
  const { lots, flow, asked, vouchers, redemptions } = gathered;
  const [{ sources, owners }, chain, swaps, converted, history] = await Promise.all([
    sourcesOf(indexes),
    serializeChain(gathered),
    swapsOf(
      flow,
      redemptions.map(({ id }) => id),
      gathered.swaps,
    ),
    convertedOf(flow, lots, asked),
    historyOf(subject),
  ]);
  const certificates = [...sources.values()].map((row) => serializeCertificate(row, owners.get(row.implementerIndex)));
  const [only] = sources.size === 1 ? sources.values() : [];
  return {
    id: publicIdOf(subject),
    type: subject.type,
    convention: "fifo",
    campaign: measured === undefined ? null : serializeCampaign(measured),
    kptClaims: measured?.claims.map(serializeKptClaim) ?? [],
    certificate: only === undefined ? null : (certificates[0] ?? null),
    certificates,
    vouchers: chain.vouchers,
    ...(await serializeParts({ swaps, ...converted })),
    lots: lots.map((row) => serializeLot(row, sources.get(row.certificateIndex ?? 0)?.certificateId ?? null)),
    carbon: {
      moves: flow.moves.map(serializeMove),
      held: flow.held.map((row) => ({ account: row.account, amount: amount(row.amount) })),
    },
    links: [
      ...(measured === undefined ? [] : campaignLinks(measured, only)),
      ...linksOf(sources, vouchers, redemptions, chain.parties),
      ...flowLinks(flow.moves, swaps, contracts.pool.toLowerCase()),
      ...itmoLinks(converted.conversions, converted.blocks, converted.actions),
    ],
    history: history.map(serializeActivity),
    shownInPart: [...gathered.cut, ...(converted.isCut ? ["itmoBlocks"] : [])],
    nextCursor: gathered.nextCursor,
  };
}
