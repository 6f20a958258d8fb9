import type { Context } from "hono";
import type { RunKey, Runs } from "../runs/runs.ts";
import { type CatchUp, EventStream, openEventStream, RESPONSE_ALREADY_SENT } from "../wire/event-stream.ts";
import type { OracleEnv } from "./env.ts";

export type StreamRunOptions = {
  /** Number of the last frame that the client has. */
  after: number;
  /** Encodes the frames in another format. */
  encode?: (frames: string) => string;
};

/** Respond with a run's event stream: the frames after a number, then new ones. The run continues when the client disconnects. */
export function streamRun(
  c: Context<OracleEnv>,
  runs: Runs,
  run: RunKey,
  { after, encode }: StreamRunOptions = { after: 0 },
): Response {
  const response = openEventStream(c, {
    "x-request-id": run.requestId,
    "x-run-id": run.id,
    // Sent before the answer is stored, so that a client can show its first text under this id.
    "x-message-id": run.messageId,
  });
  const catchUp: CatchUp = (seen) => runs.framesAfter(run.id, seen, stream);
  const stream: EventStream = new EventStream(response, { after, catchUp, encode });
  void stream.closed.then(() => runs.live(run.id)?.sinks.delete(stream));
  void stream.replay();
  return RESPONSE_ALREADY_SENT;
}
