import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { AbortReason } from "../wire/bus.ts";
import type { TurnResult } from "../wire/turn.ts";
import { type LiveRun, RunTooLongError } from "./live-run.ts";
import type { RunOutcome } from "./run-store.ts";

/** How long a turn may continue after it was asked to end, in milliseconds. */
const abortGraceMs = 2_000;

const failureMessage = "Something went wrong on our side. It has been recorded.";

export type TurnEnd = { status: RunOutcome; result: TurnResult };

/** Run a turn to its end. Does not throw: a failure is sent to the clients as an `error` event, and logged. */
export async function runTurn(run: LiveRun, turn: () => Promise<TurnResult>, log: Log): Promise<TurnEnd> {
  const { signal } = run.abort;
  const aborted = new Promise<"aborted">((resolve) => {
    signal.addEventListener("abort", () => setTimeout(resolve, abortGraceMs, "aborted").unref(), { once: true });
  });
  try {
    const result = await Promise.race([turn(), aborted]);
    if (result === "aborted" || signal.aborted) return { status: abortOutcome(signal), result: {} };
    return { status: "finished", result };
  } catch (error) {
    if (signal.aborted) return { status: abortOutcome(signal), result: {} };
    const { requestId, id: runId } = run.facts;
    log.error({ err: error, requestId, runId }, "a turn failed");
    // Clients receive errors of the request or of another service. Internal errors are only logged.
    const isKnown = error instanceof AppError && error.code !== "INTERNAL";
    const message = isKnown ? error.message : failureMessage;
    const kind = error instanceof AppError ? error.code : "INTERNAL";
    run.emit({ type: "error", message, kind, retryable: true });
    return { status: "failed", result: {} };
  }
}

function abortOutcome(signal: AbortSignal): RunOutcome {
  if (signal.reason instanceof RunTooLongError) return "failed";
  return (signal.reason as AbortReason) === "interrupted" ? "interrupted" : "aborted";
}
