import type { Context } from "hono";
import { z } from "zod";
import { AppError } from "../errors.ts";
import { type AppEnv, serviceContext } from "../http/context.ts";
import type { OperationJob, Operations } from "../operations/runner.ts";
import { startOperation } from "../operations/service.ts";
import type { Outbox } from "./outbox.ts";
import { findById } from "./outbox-store.ts";
import { StillSubmitted } from "./still-submitted.ts";

const operationType = "transaction";
const operationInput = z.object({ transactionId: z.number().int() });

/** Answer 202 for a transaction that its caller need not wait for any longer, with the operation that follows it. */
export async function answerSubmitted(submitted: StillSubmitted, c: Context<AppEnv>): Promise<Response> {
  const { transactionId, transactionHash, position } = submitted;
  const input = { transactionId, position };
  const { operationId, url } = await startOperation(serviceContext(c), { type: operationType, input, total: 1 });
  c.header("Location", url);
  return c.json({ operationId, url, status: "submitted", transactionHash }, 202);
}

/** Let operations follow transactions to their block. */
export function defineTransactionOperation(operations: Operations, outbox: Outbox): void {
  operations.define(operationType, async (job) => {
    const { transactionId } = operationInput.parse(job.input);
    const result = await follow(outbox, transactionId, job.signal);
    await markDone(job);
    return result;
  });
}

async function follow(outbox: Outbox, id: number, signal: AbortSignal): Promise<unknown> {
  while (!signal.aborted) {
    const row = await findById(outbox.options.db, id);
    if (row === undefined) throw new AppError("NOT_FOUND", "The transaction is not known any more.");
    try {
      const { transactionHash, blockNumber } = await outbox.outcome(row);
      return { transactionHash, blockNumber: Number(blockNumber) };
    } catch (error) {
      if (!(error instanceof StillSubmitted)) throw error;
    }
  }
  return null;
}

async function markDone(job: OperationJob): Promise<void> {
  if (!job.signal.aborted) await job.progress({ done: 1, total: 1, failed: 0 });
}
