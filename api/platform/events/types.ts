import type { Hex } from "viem";

/** Every kind of event, in the words of the answers. */
export const eventTypes = [
  "certificate.registered",
  "certificate.status_changed",
  "implementer.debt_changed",
  "implementer.debt_repaid",
  "implementer.replacement_owed",
  "implementer.carbon_replaced",
  "household.registered",
  "supplier.registered",
  "supplier.status_changed",
  "voucher.issued",
  "voucher.redeemed",
  "voucher.suspended",
  "voucher.reactivated",
  "voucher.cancelled",
  "voucher.swept",
  "voucher.revoked",
  "redemption.flagged",
  "redemption.reversed",
  "redemption.lapsed",
  "claim.filed",
  "claim.flagged",
  "claim.approved",
  "claim.rejected",
  "claim.disputed",
  "claim.reinstated",
  "claim.invalidated",
  "campaign.committed",
  "campaign.draw_postponed",
  "campaign.drawn",
  "campaign.household_replaced",
  "campaign.closed",
  "campaign.certified",
  "kpt_claim.verified",
  "kpt_claim.revoked",
  "itmo.requested",
  "itmo.finalised",
  "itmo.reverted",
  "itmo.action",
  "pool.swap",
  "pool.paused",
  "pool.unpaused",
  "pool.price_changed",
  "pool.fee_changed",
  "pool.caps_changed",
  "pool.reserve_received",
  "pool.withdrawn",
] as const;
export type EventType = (typeof eventTypes)[number];

/** Whom an event concerns; null where it concerns nobody of that kind. */
export type EventParties = {
  supplierDid: string | null;
  implementerDid: string | null;
  householdDid: string | null;
  everyone?: true;
};

/** What one log tells: its type, whom it concerns, and its facts. */
export type Described = { type: EventType; parties: EventParties; data: Record<string, unknown> };
/** Where a log stands on the chain. */
export type Place = { blockNumber: bigint; logIndex: number };

/** Where an event stands in the chain's order. `item` counts within one log that tells of many vouchers. */
export type EventPosition = { block: bigint; log: number; item: number; blockHash: string };

export type SchemeEvent = {
  /** Stays the same when the same transaction is mined again after a reorganisation. */
  id: string;
  position: EventPosition;
  type: EventType;
  occurredAt: Date;
  transactionHash: Hex;
  parties: EventParties;
  /** Public facts; whatever names the household is in `parties` only. */
  data: Record<string, unknown>;
};

/** `block-log-item-hash`: what an SSE client sends back as Last-Event-ID. The hash tells whether the block still stands. */
export function formatPosition({ block, log, item, blockHash }: EventPosition): string {
  return `${block}-${log}-${item}-${blockHash.slice(2, 10)}`;
}

/** The position in a Last-Event-ID; undefined when it is not one of ours. */
export function parsePosition(text: string): EventPosition | undefined {
  const match = /^(\d{1,15})-(\d{1,9})-(\d{1,9})-([0-9a-f]{8})$/.exec(text);
  if (!match) return undefined;
  return { block: BigInt(match[1] ?? 0), log: Number(match[2]), item: Number(match[3]), blockHash: `0x${match[4]}` };
}

export function isAfter(position: EventPosition, other: EventPosition): boolean {
  if (position.block !== other.block) return position.block > other.block;
  if (position.log !== other.log) return position.log > other.log;
  return position.item > other.item;
}
