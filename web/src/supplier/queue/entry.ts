import type { BrokenRule, HearthError } from "../../../../wire/src/errors.ts";
import { isUndecided } from "../../api/error.ts";

export type EntryState = "waiting" | "settled" | "refused" | "unsure";

/** A redemption that was authorised on this device and that the ledger may not know yet. */
export type QueueEntry = {
  /** Also its Idempotency-Key: however often it is sent, it is carried out once. */
  id: string;
  /** Idempotency-Key in place of the id after a person resends an entry that was refused late. */
  key?: string;
  supplierDid: string;
  voucherId: string;
  productId: string;
  productName: string;
  /** Decimal text of CARBON. */
  amount: string;
  /** The request's body, byte for byte as it was authorised. */
  body: string;
  /** Whether it carries the household's own signature, which the ledger takes once for ever. */
  signed: boolean;
  createdAt: number;
  state: EntryState;
  tries: number;
  firstTriedAt?: number;
  /** Id of the API key that tried first: the server knows an Idempotency-Key of that key alone. */
  firstTriedBy?: string;
  /** Operation that knows the result of the accepted entry. */
  operationId?: string;
  redemptionId?: string;
  transactionHash?: string;
  /** Decimal text of what the voucher still holds. */
  remainingBalance?: string;
  problem?: { code: string; message: string; details: readonly BrokenRule[] };
};

/**
 * Result of sending an entry. `pending`: the server accepted it and its block is not mined yet; `lost`: the server accepted it
 * and no longer knows its result.
 */
export type Outcome =
  | { kind: "settled"; redemptionId: string; transactionHash: string; remainingBalance: string }
  | { kind: "pending"; operationId: string }
  | { kind: "lost"; error: HearthError }
  | { kind: "failed"; error: HearthError };

/** The server remembers answers for 7 days; a day before that, sending an unsigned entry again could redeem twice. */
const rememberedMs = 6 * 24 * 3_600_000;

/** Whether the entry may be sent automatically; `unsure` ones wait for a person. */
export function isDue(entry: QueueEntry): boolean {
  return entry.state === "waiting";
}

/**
 * An entry that is about to be sent: its first try starts the time within which a repetition is safe, for the API key (`by`)
 * that made it.
 */
export function beforeSending(entry: QueueEntry, now: number, by: string): QueueEntry {
  const { signed, tries, firstTriedAt = now, firstTriedBy = by } = entry;
  const isForgotten = now - firstTriedAt > rememberedMs || firstTriedBy !== by;
  if (!signed && isForgotten) return { ...entry, state: "unsure" };
  return { ...entry, tries: tries + 1, firstTriedAt, firstTriedBy };
}

/** The entry after an answer, or after none came. */
export function afterSending(entry: QueueEntry, outcome: Outcome): QueueEntry {
  const { problem: _, ...rest } = entry;
  if (outcome.kind === "pending") return { ...rest, operationId: outcome.operationId };
  if (outcome.kind === "settled") {
    const { redemptionId, transactionHash, remainingBalance } = outcome;
    return { ...rest, state: "settled", redemptionId, transactionHash, remainingBalance };
  }
  const { code, message, details } = outcome.error;
  const earlier = settledEarlier(details);
  if (earlier !== undefined) return { ...rest, state: "settled", redemptionId: earlier };
  if (outcome.kind === "lost") return { ...rest, state: "unsure", problem: { code, message, details } };
  return { ...rest, state: isUndecided(outcome.error) ? "waiting" : "refused", problem: { code, message, details } };
}

/** The redemption that this household authorisation has already settled, from the refusal's message. */
function settledEarlier(details: readonly BrokenRule[]): string | undefined {
  const used = details.find(({ rule }) => rule === "authorization-unused");
  return used && /REDM-[0-9A-Z*~$=]+/.exec(used.message)?.[0];
}

/** Reset a refused or unsure entry so that it is sent again. */
export function tryAgain(entry: QueueEntry): QueueEntry {
  const { problem: _, firstTriedAt: __, firstTriedBy: ___, operationId, ...rest } = entry;
  return { ...rest, state: "waiting", ...(operationId === undefined ? {} : { key: crypto.randomUUID() }) };
}
