import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../errors.ts";
import type { OperationJob } from "../operations/index.ts";
import { PendingTransactionError } from "./pending-transaction-error.ts";

const RETRY_MS = 1_000;

/**
 * Sends an operation's transaction and waits for its block, however long the chain is busy or away. `send` must call under the
 * operation's id and a part of its own: then what was sent before is not sent again, and asking once more is waiting on.
 * @throws AppError what the contract's refusal means; the abort reason when the operation has to stop
 */
export async function callUntilMined<T>(job: OperationJob, send: () => Promise<T>): Promise<T> {
  for (;;) {
    job.signal.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      const isAway = error instanceof AppError && error.code === "UNAVAILABLE";
      if (!isAway && !(error instanceof PendingTransactionError)) throw error;
      if (isAway) await sleep(RETRY_MS, undefined, { signal: job.signal });
    }
  }
}
