import type { Context } from "hono";
import type { AppEnv } from "../../platform/http/context.ts";
import type { RunKey } from "../runs/runs.ts";
import { type CatchUp, EventStream, openEventStream, RESPONSE_ALREADY_SENT } from "../wire/event-stream.ts";

/**
 * Answer with a run's frames after a number: those that are kept, then what comes. The run goes on when the client leaves.
 * @param encode what the client reads in place of the frames
 */
export function streamRun(
  c: Context<AppEnv>,
  run: RunKey,
  after: number,
  encode?: (frames: string) => string,
): Response {
  const { runs } = c.get("deps").oracle;
  const response = openEventStream(c, {
    ...{ "x-request-id": run.requestId, "x-run-id": run.id },
    // Known before the answer is: a client shows it under this id from its first word on.
    "x-message-id": run.messageId,
  });
  const catchUp: CatchUp = (seen) => runs.framesAfter(run.id, seen, () => stream.isOpen);
  const stream: EventStream = new EventStream(response, { after, catchUp, encode });
  const live = runs.live(run.id);
  live?.sinks.add(stream);
  void stream.closed.then(() => live?.sinks.delete(stream));
  void stream.replay();
  return RESPONSE_ALREADY_SENT;
}
