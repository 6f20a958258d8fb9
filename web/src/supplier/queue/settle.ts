import { ApiError } from "../../api/error.ts";
import { type Method, type RequestOptions, request } from "../../api/request.ts";
import { afterSending, beforeSending, isDue, type Outcome, type QueueEntry } from "./entry.ts";

type Send = <T>(method: Method, path: string, options: RequestOptions) => Promise<T>;
type Answer = { redemptionId?: string; transactionHash: string; remainingBalance: number | string };

export type SettleOptions = {
  read: () => Promise<QueueEntry[]>;
  write: (entry: QueueEntry) => Promise<void>;
  /** Only orders of this supplier are sent: its key signs the requests. */
  supplierDid: string;
  now: () => number;
  send?: Send;
};

/**
 * Send every order that waits, one after the other, and keep each answer before the next one goes.
 * Without a network it stops at the first order: the others would fail likewise.
 */
export async function settleQueue(options: SettleOptions): Promise<void> {
  const { read, write, supplierDid, now, send = request } = options;
  for (const entry of (await read()).filter((each) => isDue(each) && each.supplierDid === supplierDid)) {
    const sending = beforeSending(entry, now());
    await write(sending);
    if (!isDue(sending)) continue;
    const outcome = await outcomeOf(send, sending);
    await write(afterSending(sending, outcome));
    if (outcome.kind === "failed" && (outcome.error.status === 0 || outcome.error.status === 401)) return;
  }
}

async function outcomeOf(send: Send, { id, body }: QueueEntry): Promise<Outcome> {
  try {
    const options = { body, contentType: "application/json", idempotencyKey: id };
    const answer = await send<Answer>("POST", "/v1/vouchers/redeem", options);
    // 202: its block is not there yet; the next try is answered with the outcome.
    if (answer.redemptionId === undefined) return { kind: "pending" };
    const { redemptionId, transactionHash, remainingBalance } = answer;
    return { kind: "settled", redemptionId, transactionHash, remainingBalance: String(remainingBalance) };
  } catch (error) {
    if (error instanceof ApiError) return { kind: "failed", error };
    throw error;
  }
}
