import type { eventLog } from "../ponder.schema.ts";
import { largestInteger } from "./integers.ts";

/** The part of a Ponder event that the rows need. */
export type ChainEvent = {
  args: Record<string, unknown>;
  block: { number: bigint; timestamp: bigint };
  transaction: { hash: `0x${string}` };
  log: { logIndex: number };
};

type ActivityRow = typeof eventLog.$inferInsert;
export type Subjects = Partial<
  Pick<
    ActivityRow,
    | "certificateIndex"
    | "batchIndex"
    | "voucherId"
    | "redemptionId"
    | "householdIndex"
    | "supplierIndex"
    | "implementerIndex"
    | "productIndex"
    | "planIndex"
    | "campaignIndex"
    | "kptClaimId"
    | "authorizationIndex"
    | "conversionIndex"
    | "itmoBlockId"
    | "data"
  >
>;

/** Position in chain order: block number · 2^24 + log index. */
export function sequenceOf(event: Pick<ChainEvent, "block" | "log">): bigint {
  return (event.block.number << 24n) | BigInt(event.log.logIndex);
}

/** Read the voucher from a redemption's id. */
export const voucherOf = (redemption: bigint): bigint => redemption >> 32n;

/** Read the redemption's number within its voucher, from 1. */
export const redemptionNumberOf = (redemption: bigint): number => Number(redemption & 0xffffffffn);

/** Read the voucher's batch; 0 if it was issued alone. */
export const batchOf = (voucher: bigint): number => Number(voucher >> 32n);

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === "object") return describe(value as Record<string, unknown>);
  return value;
}

/** Write an event's arguments as JSON: bigints become decimal strings. */
export function describe(args: Record<string, unknown>): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const name in args) data[name] = plain(args[name]);
  return data;
}

/** Build the activity row of an event. `data` in the subjects replaces the event's arguments. */
export function activityRow(name: string, event: ChainEvent, subjects: Subjects): ActivityRow {
  return {
    ...subjects,
    sequence: sequenceOf(event),
    event: name,
    data: subjects.data ?? describe(event.args),
    blockNumber: event.block.number,
    timestamp: event.block.timestamp,
    transactionHash: event.transaction.hash,
    logIndex: event.log.logIndex,
  };
}

/** Subjects of an event that names a voucher. Anyone may name a batch that does not exist in a refused order; its index may not fit. */
export function ofVoucher(voucher: bigint): Subjects {
  const batch = batchOf(voucher);
  return { voucherId: voucher, batchIndex: batch === 0 || batch > largestInteger ? null : batch };
}

/** Subjects of an event that names a batch by its first voucher, or a voucher that was issued alone. */
export function ofBatchOrVoucher(voucher: bigint): Subjects {
  const batchIndex = batchOf(voucher);
  return batchIndex === 0 ? { voucherId: voucher } : { batchIndex };
}

/** Subjects of an event that names a redemption or its claim. */
export const ofRedemption = (redemption: bigint): Subjects => ({
  ...ofVoucher(voucherOf(redemption)),
  redemptionId: redemption,
});

/** Subjects of an event that names a KPT claim. */
export const ofKptClaim = (claim: bigint): Subjects => ({ campaignIndex: Number(claim >> 64n), kptClaimId: claim });

/** Subjects of an event that names an ITMO block, whose id begins with its conversion. */
export const ofItmoBlock = (block: bigint): Subjects => ({
  conversionIndex: Number(block >> 64n),
  itmoBlockId: block,
});
