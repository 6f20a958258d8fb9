import { errorOfOperation, HearthError, PendingTransactionError } from "../../../../wire/src/errors.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { hasEnded, type Operation } from "../../api/operation.ts";
import { afterSending, beforeSending, isDue, type Outcome, type QueueEntry } from "./entry.ts";

export type SettleOptions = {
  read: () => Promise<QueueEntry[]>;
  write: (entry: QueueEntry) => Promise<void>;
  /** Only this supplier's orders are sent, since its key signs the requests. */
  supplierDid: string;
  /** Id of the supplier's API key. */
  keyId: string;
  now: () => number;
};

/**
 * Send all waiting orders in sequence, and store each answer before the next order is sent. Stop at the first one
 * without a network: the others would fail too.
 */
export async function settleQueue(options: SettleOptions): Promise<void> {
  const { read, write, supplierDid, keyId, now } = options;
  for (const entry of (await read()).filter((each) => isDue(each) && each.supplierDid === supplierDid)) {
    const sending = beforeSending(entry, now(), keyId);
    await write(sending);
    if (!isDue(sending)) continue;
    const outcome = await outcomeOf(sending);
    await write(afterSending(sending, outcome));
    if (outcome.kind === "failed" && (outcome.error.status === 0 || outcome.error.status === 401)) return;
  }
}

async function outcomeOf(entry: QueueEntry): Promise<Outcome> {
  try {
    return entry.operationId === undefined ? await order(entry) : await follow(entry, entry.operationId);
  } catch (error) {
    if (error instanceof HearthError) return { kind: "failed", error };
    throw error;
  }
}

async function order({ id, key = id, body }: QueueEntry): Promise<Outcome> {
  try {
    return settled(await hearth.post("/v1/vouchers/redeem", { json: body, idempotencyKey: key }));
  } catch (error) {
    // The block is not mined yet, so the same request would get the same answer.
    if (error instanceof PendingTransactionError) return { kind: "pending", operationId: error.operationId };
    throw error;
  }
}

async function follow(entry: QueueEntry, operationId: string): Promise<Outcome> {
  const operation = await readOperation(operationId);
  // The operation is unknown to this key: a signed order can safely be sent again; an unsigned one needs the user.
  if (operation instanceof HearthError) return entry.signed ? await order(entry) : { kind: "lost", error: operation };
  const { status, result } = operation;
  if (!hasEnded(operation)) return { kind: "pending", operationId };
  if (status === "succeeded" && isRedeemed(result)) return settled(result);
  const error = errorOfOperation(operation.error);
  // A refusal by the contract names its rules; after any other failure the order may have been carried out.
  return { kind: error.details.length > 0 ? "failed" : "lost", error };
}

async function readOperation(id: string): Promise<Operation | HearthError> {
  try {
    return await hearth.get("/v1/operations/{id}", { path: { id } });
  } catch (error) {
    if (error instanceof HearthError && error.status === 404) return error;
    throw error;
  }
}

type Redeemed = Pick<Schemas["Redeemed"], "redemptionId" | "transactionHash" | "remainingBalance">;

function isRedeemed(result: unknown): result is Redeemed {
  return typeof result === "object" && result !== null && "redemptionId" in result && "remainingBalance" in result;
}

function settled({ redemptionId, transactionHash, remainingBalance }: Redeemed): Outcome {
  return { kind: "settled", redemptionId, transactionHash, remainingBalance: String(remainingBalance) };
}
