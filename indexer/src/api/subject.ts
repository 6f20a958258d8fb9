import { db } from "ponder:api";
import {
  campaign,
  carbonMove,
  certificate,
  claim,
  eventLog,
  itmoBlock,
  itmoConversion,
  kptClaim,
  redemption,
  swap,
  voucher,
} from "ponder:schema";
import { and, desc, eq, lte } from "ponder";
import {
  decodeClaimId,
  decodeConversionId,
  decodeItmoBlockId,
  decodeKptClaimId,
  decodePaymentId,
  decodeRedemptionId,
  decodeSwapId,
  decodeVoucherId,
} from "../../../wire/src/ids.ts";
import { itmoUniqueId, readItmoSerial, readItmoUniqueId } from "../../../wire/src/itmo-ids.ts";
import type { Conversion, Serials } from "./itmo-trace.ts";

export type Subject =
  | { type: "certificate"; row: typeof certificate.$inferSelect }
  | { type: "voucher"; row: typeof voucher.$inferSelect }
  | { type: "redemption"; row: typeof redemption.$inferSelect }
  | { type: "claim"; row: typeof claim.$inferSelect }
  | { type: "campaign"; row: typeof campaign.$inferSelect }
  | { type: "kpt-claim"; row: typeof kptClaim.$inferSelect }
  | { type: "swap"; row: typeof swap.$inferSelect }
  | ItmoSubject
  | { type: "transaction"; hash: `0x${string}` };

/** A conversion, or a part of it by serials; `block` if they form a separate block. */
export type ItmoSubject = {
  type: "conversion" | "itmo-block" | "itmo-serial";
  id: string;
  row: Conversion;
  serials: Serials | undefined;
  block: typeof itmoBlock.$inferSelect | undefined;
};

/** Records whose id the registrar chose. */
export const namedTypes = ["certificate", "campaign"] as const;
export type NamedType = (typeof namedTypes)[number];

type Found = { ok: true; subject: Subject } | { ok: false; message: string };

const readers = [
  {
    prefix: "VCHR-",
    type: "voucher",
    decode: decodeVoucherId,
    read: (id: bigint) => db.select().from(voucher).where(eq(voucher.id, id)),
  },
  {
    prefix: "REDM-",
    type: "redemption",
    decode: decodeRedemptionId,
    read: (id: bigint) => db.select().from(redemption).where(eq(redemption.id, id)),
  },
  {
    prefix: "CLM-",
    type: "claim",
    decode: decodeClaimId,
    read: (id: bigint) => db.select().from(claim).where(eq(claim.id, id)),
  },
  {
    // A claim is paid once, so its payment has its id.
    prefix: "PAY-",
    type: "claim",
    decode: decodePaymentId,
    read: (id: bigint) => db.select().from(claim).where(eq(claim.id, id)),
  },
  {
    prefix: "KPT-",
    type: "kpt-claim",
    decode: decodeKptClaimId,
    read: (id: bigint) => db.select().from(kptClaim).where(eq(kptClaim.id, id)),
  },
  {
    prefix: "SWAP-",
    type: "swap",
    decode: decodeSwapId,
    // No block has a number above 63 bits; the column could not store it.
    read: async (id: bigint) => (id >> 63n === 0n ? db.select().from(swap).where(eq(swap.sequence, id)) : []),
  },
  { prefix: "CONV-", type: "conversion", decode: decodeConversionId, read: readConversion },
  { prefix: "ITMO-", type: "itmo-block", decode: decodeItmoBlockId, read: readBlock },
] as const;

const highestIndex = 0x7fff_ffffn;

async function conversionOf(index: bigint): Promise<Conversion | undefined> {
  if (index > highestIndex) return undefined;
  const [row] = await db
    .select()
    .from(itmoConversion)
    .where(eq(itmoConversion.index, Number(index)));
  return row;
}

const serialsOf = ({ index, firstId, lastId }: Conversion): Serials | undefined =>
  firstId === null || lastId === null ? undefined : { conversionIndex: index, firstId, lastId };

async function readConversion(id: bigint): Promise<ItmoSubject[]> {
  const row = await conversionOf(id);
  return row === undefined
    ? []
    : [{ type: "conversion", id: row.publicId, row, serials: serialsOf(row), block: undefined }];
}

async function readBlock(id: bigint): Promise<ItmoSubject[]> {
  const [block] = await db.select().from(itmoBlock).where(eq(itmoBlock.id, id));
  const row = block === undefined ? undefined : await conversionOf(BigInt(block.conversionIndex));
  if (block === undefined || row === undefined) return [];
  const { conversionIndex, firstId, lastId } = block;
  return [{ type: "itmo-block", id: block.publicId, row, serials: { conversionIndex, firstId, lastId }, block }];
}

/** Find the block, or the part of one, that a unique id or a serial names, even if it was split since. */
async function findSerials(id: string): Promise<ItmoSubject | undefined> {
  const text = id.toUpperCase();
  const units = readItmoUniqueId(text);
  const serial = units === null ? readItmoSerial(text) : null;
  const range = units ?? (serial && { registryId: serial.registryId, firstId: serial.serial, lastId: serial.serial });
  if (range === null) return undefined;
  const before = and(eq(itmoConversion.registryId, range.registryId), lte(itmoConversion.firstId, range.firstId));
  const [row] = await db.select().from(itmoConversion).where(before).orderBy(desc(itmoConversion.firstId)).limit(1);
  if (row?.lastId == null || row.lastId < range.lastId) return undefined;
  const start = and(eq(itmoBlock.conversionIndex, row.index), lte(itmoBlock.firstId, range.firstId));
  const [block] = await db.select().from(itmoBlock).where(start).orderBy(desc(itmoBlock.firstId)).limit(1);
  if (block === undefined) return undefined;
  const { cooperativeApproachId, firstTransferringParty: firstTransferringPartyId, vintage } = block;
  const identity = { cooperativeApproachId, registryId: range.registryId, firstTransferringPartyId, vintage };
  if (units !== null && itmoUniqueId({ ...identity, firstId: units.firstId, lastId: units.lastId }) !== text)
    return undefined;
  const serials = { conversionIndex: row.index, firstId: range.firstId, lastId: range.lastId };
  const isBlock = block.firstId === range.firstId && block.lastId === range.lastId;
  return { type: isBlock ? "itmo-block" : "itmo-serial", id: text, row, serials, block: isBlock ? block : undefined };
}

/** Find a transaction that the index has an event of. */
async function findTransaction(id: string): Promise<Subject | undefined> {
  const hash = id.toLowerCase() as `0x${string}`;
  if (!/^0x[0-9a-f]{64}$/.test(hash)) return undefined;
  const told = await Promise.all([
    db.select({ one: eventLog.sequence }).from(eventLog).where(eq(eventLog.transactionHash, hash)).limit(1),
    db.select({ one: redemption.sequence }).from(redemption).where(eq(redemption.transactionHash, hash)).limit(1),
    db.select({ one: carbonMove.sequence }).from(carbonMove).where(eq(carbonMove.transactionHash, hash)).limit(1),
  ]);
  return told.some((rows) => rows.length > 0) ? { type: "transaction", hash } : undefined;
}

async function findNamed(id: string, type: NamedType | undefined): Promise<Subject | undefined> {
  if (type !== "campaign") {
    const [row] = await db.select().from(certificate).where(eq(certificate.certificateId, id)).limit(1);
    if (row !== undefined) return { type: "certificate", row };
  }
  if (type === "certificate") return undefined;
  const [row] = await db.select().from(campaign).where(eq(campaign.campaignId, id)).limit(1);
  return row === undefined ? undefined : { type: "campaign", row };
}

/**
 * Find what an id names: a certificate's public id, then a campaign's (`type` chooses if both have it), then an ITMO
 * unique id or serial, a transaction's hash, and VCHR-, REDM-, CLM-, PAY-, KPT-, SWAP-, CONV- and ITMO- ids by their prefix.
 */
export async function findSubject(id: string, type?: NamedType): Promise<Found> {
  const named = await findNamed(id, type);
  if (named !== undefined) return { ok: true, subject: named };
  const numbered = type === undefined ? ((await findSerials(id)) ?? (await findTransaction(id))) : undefined;
  if (numbered !== undefined) return { ok: true, subject: numbered };
  const reader = type === undefined ? readers.find(({ prefix }) => id.toUpperCase().startsWith(prefix)) : undefined;
  if (reader === undefined)
    return { ok: false, message: `No ${type ?? "certificate, campaign, ITMO or transaction"} has the id ${id}.` };
  const decoded = reader.decode(id);
  if (!decoded.ok) {
    const hint = decoded.reason === "checksum" ? " Its check symbol does not fit: is it mistyped?" : "";
    return { ok: false, message: `${id} is not a ${reader.type} id.${hint}` };
  }
  const [row] = await reader.read(decoded.id);
  if (row === undefined) return { ok: false, message: `There is no ${reader.type} ${id}.` };
  return { ok: true, subject: "type" in row ? row : ({ type: reader.type, row } as Subject) };
}
