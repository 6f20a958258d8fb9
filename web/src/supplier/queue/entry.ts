import type { BrokenRule, HearthError } from "../../../../wire/src/errors.ts";
import { isUndecided } from "../../api/error.ts";
import { withoutPin } from "../household-authorization.ts";
import type { Product } from "../records.ts";

export type EntryState = "waiting" | "settled" | "refused" | "unsure";

/** A redemption that was authorised on this device and may not be on chain yet. */
export type QueueEntry = {
  /** Also its Idempotency-Key: it is carried out once, even if it is sent several times. */
  id: string;
  /** Idempotency-Key instead of the id, after a user resends an entry that was refused late. */
  key?: string;
  supplierDid: string;
  voucherId: string;
  productId: string;
  productName: string;
  /** Price of one unit when it was ordered, for the receipt. */
  price?: NonNullable<Product["price"]>;
  /** Decimal text of CARBON. */
  amount: string;
  /** Body of the request, byte for byte as it was authorised. */
  body: string;
  /** Whether it contains the household's signature, which the contract accepts only once. */
  signed: boolean;
  createdAt: number;
  state: EntryState;
  tries: number;
  firstTriedAt?: number;
  /** Id of the API key of the first attempt: the server stores Idempotency-Keys for each API key. */
  firstTriedBy?: string;
  /** Operation with the result of the accepted entry. */
  operationId?: string;
  redemptionId?: string;
  transactionHash?: string;
  /** Decimal text of the voucher's balance. */
  remainingBalance?: string;
  problem?: { code: string; message: string; details: readonly BrokenRule[] };
};

/**
 * Result of sending an entry. `pending`: accepted, its block is not mined yet; `lost`: accepted, but the server no
 * longer knows the result.
 */
export type Outcome =
  | { kind: "settled"; redemptionId: string; transactionHash: string; remainingBalance: string }
  | { kind: "pending"; operationId: string }
  | { kind: "lost"; error: HearthError }
  | { kind: "failed"; error: HearthError };

/** The server stores responses for 7 days. After 6 days, sending an unsigned entry again could redeem twice. */
const rememberedMs = 6 * 24 * 3_600_000;

/** Whether the entry may be sent automatically; an `unsure` entry waits for the user. */
export function isDue(entry: QueueEntry): boolean {
  return entry.state === "waiting";
}

/**
 * Mark an entry before it is sent: the first attempt starts the period in which a repeat with the same API key (`by`)
 * is safe.
 */
export function beforeSending(entry: QueueEntry, now: number, by: string): QueueEntry {
  const { signed, tries, firstTriedAt = now, firstTriedBy = by } = entry;
  const isForgotten = now - firstTriedAt > rememberedMs || firstTriedBy !== by;
  if (!signed && isForgotten) return { ...entry, state: "unsure" };
  return { ...entry, tries: tries + 1, firstTriedAt, firstTriedBy };
}

/** Update an entry after an answer, or after none came. */
export function afterSending(entry: QueueEntry, outcome: Outcome): QueueEntry {
  const { problem: _, ...given } = entry;
  const isAnswered = outcome.kind === "settled" || (outcome.kind === "failed" && !isUndecided(outcome.error));
  const rest = isAnswered ? { ...given, body: withoutPin(given.body) } : given;
  if (outcome.kind === "pending") return { ...rest, operationId: outcome.operationId };
  if (outcome.kind === "settled") {
    const { redemptionId, transactionHash, remainingBalance } = outcome;
    return { ...rest, state: "settled", redemptionId, transactionHash, remainingBalance };
  }
  const { code, message, details } = outcome.error;
  const earlier = settledEarlier(details);
  if (earlier !== undefined) return { ...rest, state: "settled", redemptionId: earlier };
  // The code was used by this order, whose answer was lost, or by another one: the redemptions show which.
  const isDoubtful = entry.tries > 1 && details.some(({ rule }) => rule === "code-unused");
  if (outcome.kind === "lost" || isDoubtful) return { ...rest, state: "unsure", problem: { code, message, details } };
  return { ...rest, state: isUndecided(outcome.error) ? "waiting" : "refused", problem: { code, message, details } };
}

/** The earlier redemption that used this household authorisation, from the error message. */
function settledEarlier(details: readonly BrokenRule[]): string | undefined {
  const used = details.find(({ rule }) => rule === "authorization-unused");
  return used && /REDM-[0-9A-Z*~$=]+/.exec(used.message)?.[0];
}

/** Reset a refused or unsure entry so that it is sent again. */
export function tryAgain(entry: QueueEntry): QueueEntry {
  const { problem: _, firstTriedAt: __, firstTriedBy: ___, operationId, ...rest } = entry;
  return { ...rest, state: "waiting", ...(operationId === undefined ? {} : { key: crypto.randomUUID() }) };
}
