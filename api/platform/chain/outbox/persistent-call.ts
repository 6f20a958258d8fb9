import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../errors.ts";
import type { OperationJob } from "../../operations/index.ts";
import { PendingTransactionError } from "../errors/pending-transaction-error.ts";

const RETRY_MS = 1_000;

/**
 * Send an operation's transaction and wait for its block, however long the chain is busy or unreachable. `send` must use the
 * operation's id as idempotency key with a unique part: then calling it again waits for the transaction instead of sending another.
 * Not p-retry: only an unreachable chain needs a pause; after a pending transaction, `send` has waited already.
 * @throws AppError what the contract's refusal means; the abort reason when the operation must stop
 */
export async function callUntilMined<T>(job: OperationJob, send: () => Promise<T>): Promise<T> {
  for (;;) {
    job.signal.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      const isUnavailable = error instanceof AppError && error.code === "UNAVAILABLE";
      if (!isUnavailable && !(error instanceof PendingTransactionError)) throw error;
      if (isUnavailable) await sleep(RETRY_MS, undefined, { signal: job.signal });
    }
  }
}
