import type { Transaction } from "../../platform/db/index.ts";

/** A message for which payment may be due. */
export type PaidMessage = {
  userDid: string;
  sessionId: string;
  requestId: string;
  /** The id that the client gave the message so that it can be sent again; null when it gave none. */
  retryId: string | null;
};

/** Permission to start a turn. It records the turn's charge in the transaction that stores the turn. */
export type Admission = {
  /**
   * Store the turn and its charge together.
   * @param store returns something other than an object when it stored no turn; then nothing is charged
   * @throws AppError PAYMENT_REQUIRED when another message has used the deposit meanwhile
   */
  start: <T>(runId: string, store: (tx: Transaction) => Promise<T>) => Promise<T>;
  /** Call this when the turn has ended: its charge can be settled from now on. */
  onEnd: () => void;
};

/**
 * Decide whether a message may start a turn. Undefined: the turn costs nothing and needs no record.
 * @throws AppError PAYMENT_REQUIRED; NOT_FOUND for a session that is not the user's; CONFLICT for a message accepted before
 */
export type RequirePayment = (message: PaidMessage) => Promise<Admission | undefined>;

/** For an oracle without a chain: every message is free. */
export const freeOfCharge: RequirePayment = async () => undefined;
