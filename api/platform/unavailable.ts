import { BaseError, HttpRequestError, SocketClosedError, TimeoutError, WebSocketRequestError } from "viem";
import { isDatabaseUnavailable } from "./db/index.ts";
import { AppError } from "./errors.ts";

const silent = [HttpRequestError, TimeoutError, WebSocketRequestError, SocketClosedError] as const;

/** Whether an error says that the chain's node could not be reached or gave no answer in time. */
export function isChainUnreachable(thrown: unknown): boolean {
  if (!(thrown instanceof BaseError)) return false;
  return thrown.walk((cause) => silent.some((kind) => cause instanceof kind)) !== null;
}

export function chainUnavailable(cause: unknown): AppError {
  return new AppError("UNAVAILABLE", "The chain does not answer; try again in a moment.", {
    cause,
    headers: { "Retry-After": "2" },
  });
}

/** Build the 503 for an error of a database or a chain's node that is unavailable; undefined for any other. */
export function unavailableError(thrown: unknown): AppError | undefined {
  if (isChainUnreachable(thrown)) return chainUnavailable(thrown);
  if (!isDatabaseUnavailable(thrown)) return undefined;
  const message = "The database does not answer. Send the same request again, with its Idempotency-Key.";
  return new AppError("UNAVAILABLE", message, { cause: thrown, headers: { "Retry-After": "1" } });
}
