import { HearthError, PendingTransactionError } from "../../../wire/src/errors.ts";
import { hearth } from "./client.ts";

/** Result of an operation whose transaction is in a block. */
export type LateResult = { transactionHash: string; blockNumber: number } & Record<string, unknown>;

/**
 * Wait for a write until its transaction is in a block, also when the API answers before that.
 *
 * @param write sends the request
 * @param read makes the answer from the operation's result, which has fewer fields than an answer in time
 * @throws HearthError, also when the contract refuses the write late
 */
export async function settled<Answer>(
  write: () => Promise<Answer>,
  read: (result: LateResult) => Promise<Answer> | Answer,
): Promise<Answer> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof PendingTransactionError)) throw error;
    const { result } = await hearth.operation(error.operationId);
    if (!isLateResult(result)) throw new HearthError({ status: 500, code: "INTERNAL", message: "" });
    return await read(result);
  }
}

function isLateResult(result: unknown): result is LateResult {
  return typeof result === "object" && result !== null && "transactionHash" in result;
}
