import type { Hex } from "viem";

/** All event types, by the names that responses use. */
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
  "campaign.draw_joined",
  "campaign.draw_opened",
  "campaign.draw_postponed",
  "campaign.secret_revealed",
  "campaign.secret_withheld",
  "campaign.draw_discarded",
  "campaign.drawn",
  "campaign.household_replaced",
  "campaign.household_missing",
  "campaign.amended",
  "campaign.abandoned",
  "campaign.closed",
  "campaign.certified",
  "finding.opened",
  "finding.answered",
  "finding.closed",
  "data_room.signed",
  "kpt_claim.verified",
  "kpt_claim.revoked",
  "itmo.requested",
  "itmo.finalised",
  "itmo.reverted",
  "itmo.action",
  "itmo.authorization_reduced",
  "itmo.authorization_revoked",
  "itmo.reduction_vetoed",
  "itmo.buffered",
  "itmo.buffer_cancelled",
  "itmo.buffer_released",
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

/** Parties that an event concerns; null where there is none of that kind. */
export type EventParties = {
  supplierDid: string | null;
  implementerDid: string | null;
  householdDid: string | null;
  everyone?: true;
};

/** An event from one log: type, parties and public data. */
export type Described = { type: EventType; parties: EventParties; data: Record<string, unknown> };
/** Position of a log on the chain. */
export type Place = { blockNumber: bigint; logIndex: number };

/** An event that a feature recorded in the database, to be placed after the logs of a block. */
export type RecordedEvent = Described & { id: string; block: bigint; occurredAt: Date };

/** Blocks from the latest one to the one that a recorded event is placed in. No reader may have passed it before the row is visible. */
export const BLOCKS_UNTIL_PLACED = 2n;

/** Position of an event in the chain's order. `item` counts events within one log about many vouchers. */
export type EventPosition = { block: bigint; log: number; item: number; blockHash: string };

export type SchemeEvent = {
  /** Stays the same when the same transaction is mined again after a reorganisation. */
  id: string;
  position: EventPosition;
  type: EventType;
  occurredAt: Date;
  /** Null for an event that is not on chain. */
  transactionHash: Hex | null;
  parties: EventParties;
  /** Public data. Everything that identifies the household is only in `parties`. */
  data: Record<string, unknown>;
};

/** Format a position as the SSE id `block-log-item-hash`. The hash shows whether the chain still has the block. */
export function formatPosition({ block, log, item, blockHash }: EventPosition): string {
  return `${block}-${log}-${item}-${blockHash.slice(2, 10)}`;
}

/** Parse a Last-Event-ID; undefined when it is malformed. */
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
