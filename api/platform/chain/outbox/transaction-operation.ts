import type { Context } from "hono";
import { formatGwei } from "viem";
import { z } from "zod";
import { AppError } from "../../errors.ts";
import { type AppEnv, requestContext } from "../../http/index.ts";
import { type OperationDeps, type Operations, startOperation } from "../../operations/index.ts";
import { PendingTransactionError } from "../errors/pending-transaction-error.ts";
import type { FeePolicy } from "./fees.ts";
import type { MinedCall, Outbox } from "./outbox.ts";
import { findById } from "./store.ts";

const operationType = "transaction";
const operationInput = z.object({ transactionId: z.number().int(), position: z.number().int().default(0) });

/** Builds the response of a mined transaction, as the feature would have answered its caller. @throws AppError its refusal */
export type ResultReader = (mined: MinedCall, position: number) => Record<string, unknown>;

/** Answer 202 with an operation that follows the transaction to its block. */
export async function respondSubmitted(
  deps: OperationDeps,
  submitted: PendingTransactionError,
  c: Context<AppEnv>,
): Promise<Response> {
  const { transactionId, transactionHash, position } = submitted;
  const input = { transactionId, position };
  const { operationId, url } = await startOperation(deps, requestContext(c), { type: operationType, input, total: 1 });
  c.header("Location", url);
  return c.json({ operationId, url, status: "submitted", transactionHash }, 202);
}

/** Define the operation that follows a transaction to its block. `readers` are by the transaction's purpose. */
export function defineTransactionOperation(
  operations: Operations,
  outbox: Outbox,
  readers: Record<string, ResultReader> = {},
): void {
  operations.define(operationType, async (job) => {
    const { transactionId, position } = operationInput.parse(job.input);
    const mined = await follow(outbox, transactionId, job.signal);
    if (mined === null) return null;
    const { transactionHash, blockNumber, purpose } = mined;
    const more = readers[purpose]?.(mined, position) ?? {};
    await job.progress({ done: 1, total: 1, failed: 0 });
    return { transactionHash, blockNumber: Number(blockNumber), ...more };
  });
}

/** Say in running operations that gas costs more than the service pays. */
export function watchBaseFee(operations: Operations, fees: FeePolicy): void {
  operations.addObstacle(() => {
    const baseFee = fees.baseFeeAboveCap();
    if (baseFee === undefined) return undefined;
    const most = formatGwei(fees.caps.maxFeePerGas);
    const message = `The chain's base fee is ${formatGwei(baseFee)} gwei, and this service pays up to ${most} gwei. It continues when the base fee is lower.`;
    return { rule: "base-fee", message };
  });
}

type Followed = MinedCall & { purpose: string };

async function follow(outbox: Outbox, id: number, signal: AbortSignal): Promise<Followed | null> {
  while (!signal.aborted) {
    const row = await findById(outbox.options.db, id);
    if (row === undefined) throw new AppError("NOT_FOUND", "The transaction is not known any more.");
    try {
      return { ...(await outbox.outcome(row)), purpose: row.purpose };
    } catch (error) {
      if (!(error instanceof PendingTransactionError)) throw error;
    }
  }
  return null;
}
