import { ApiError } from "../../api/error.ts";
import type { Decimal } from "../../api/numbers.ts";
import { errorOfOperation, hasEnded, type Operation, type StartedOperation } from "../../api/operation.ts";
import { type Method, type RequestOptions, request } from "../../api/request.ts";
import { afterSending, beforeSending, isDue, type Outcome, type QueueEntry } from "./entry.ts";

type Send = <T>(method: Method, path: string, options: RequestOptions) => Promise<T>;
type Redeemed = { redemptionId: string; transactionHash: string; remainingBalance: Decimal };
type Answer = Redeemed | StartedOperation;

export type SettleOptions = {
  read: () => Promise<QueueEntry[]>;
  write: (entry: QueueEntry) => Promise<void>;
  /** Only orders of this supplier are sent: its key signs the requests. */
  supplierDid: string;
  /** Id of that key. */
  keyId: string;
  now: () => number;
  send?: Send;
};

/**
 * Send every order that waits, one after the other, and keep each answer before the next one goes.
 * Without a network it stops at the first order: the others would fail likewise.
 */
export async function settleQueue(options: SettleOptions): Promise<void> {
  const { read, write, supplierDid, keyId, now, send = request } = options;
  for (const entry of (await read()).filter((each) => isDue(each) && each.supplierDid === supplierDid)) {
    const sending = beforeSending(entry, now(), keyId);
    await write(sending);
    if (!isDue(sending)) continue;
    const outcome = await outcomeOf(send, sending);
    await write(afterSending(sending, outcome));
    if (outcome.kind === "failed" && (outcome.error.status === 0 || outcome.error.status === 401)) return;
  }
}

async function outcomeOf(send: Send, entry: QueueEntry): Promise<Outcome> {
  try {
    return entry.operationId === undefined ? await order(send, entry) : await follow(send, entry, entry.operationId);
  } catch (error) {
    if (error instanceof ApiError) return { kind: "failed", error };
    throw error;
  }
}

async function order(send: Send, { id, key = id, body }: QueueEntry): Promise<Outcome> {
  const options = { body, contentType: "application/json", idempotencyKey: key };
  const answer = await send<Answer>("POST", "/v1/vouchers/redeem", options);
  // 202: its block is not there yet, and a repetition would be answered by the same words.
  if ("operationId" in answer) return { kind: "pending", operationId: answer.operationId };
  return settled(answer);
}

async function follow(send: Send, entry: QueueEntry, operationId: string): Promise<Outcome> {
  const operation = await readOperation(send, operationId);
  // Unknown to this key: the household's signature makes another try safe, without one a person has to look.
  if (operation instanceof ApiError)
    return entry.signed ? await order(send, entry) : { kind: "lost", error: operation };
  if (!hasEnded(operation)) return { kind: "pending", operationId };
  if (operation.status === "succeeded" && operation.result !== undefined) return settled(operation.result);
  const error = errorOfOperation(operation);
  // What the ledger judged names its rules; of anything else nobody knows whether it was carried out.
  return { kind: error.details.length > 0 ? "failed" : "lost", error };
}

async function readOperation(send: Send, id: string): Promise<Operation<Redeemed> | ApiError> {
  try {
    return await send<Operation<Redeemed>>("GET", `/v1/operations/${encodeURIComponent(id)}`, {});
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return error;
    throw error;
  }
}

function settled({ redemptionId, transactionHash, remainingBalance }: Redeemed): Outcome {
  return { kind: "settled", redemptionId, transactionHash, remainingBalance: String(remainingBalance) };
}
