import { ApiError } from "./error.ts";
import { errorOfOperation, hasEnded, type Operation, type StartedOperation } from "./operation.ts";
import { type Method, type RequestOptions, request } from "./request.ts";

const pollMs = 1_000;
/** Who waits longer than this is told so; the operation goes on. */
const mostMs = 15 * 60_000;

/** What an operation tells of a transaction that is in its block. */
export type LateResult = { transactionHash: string; blockNumber: number } & Record<string, unknown>;

/**
 * A write that reaches the chain, however late its block is: an answer of 202 names an operation, which is followed to its end.
 * `read` makes the answer of what the operation tells, which is less than an answer in time has.
 * @throws ApiError, also of a refusal that came late
 */
export async function requestSettled<T>(
  method: Method,
  path: string,
  options: RequestOptions,
  read: (result: LateResult) => Promise<T> | T,
): Promise<T> {
  const answer = await request<T | Submitted>(method, path, options);
  return isSubmitted(answer) ? await read(await resultOf(answer.operationId, options)) : answer;
}

type Submitted = StartedOperation & { status: "submitted" };

function isSubmitted(answer: unknown): answer is Submitted {
  const { status, operationId } = (answer ?? {}) as Partial<Submitted>;
  return status === "submitted" && operationId !== undefined;
}

async function resultOf(id: string, { signal }: RequestOptions): Promise<LateResult> {
  const until = Date.now() + mostMs;
  for (;;) {
    const operation = await look(id, signal);
    if (operation !== undefined && hasEnded(operation)) {
      if (operation.status === "succeeded" && operation.result !== undefined) return operation.result;
      throw errorOfOperation(operation);
    }
    // An empty message is told in the reader's language, by the status.
    if (Date.now() > until) throw new ApiError({ status: 504, code: "UNAVAILABLE", message: "" });
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Undefined: not to be known at the moment. */
async function look(id: string, signal: AbortSignal | undefined): Promise<Operation<LateResult> | undefined> {
  try {
    return await request<Operation<LateResult>>("GET", `/v1/operations/${encodeURIComponent(id)}`, { signal });
  } catch (error) {
    const isPassing = error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
    if (!isPassing) throw error;
    return undefined;
  }
}
