import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Log } from "../log.ts";

/** How long a client may stop reading before its connection is closed, in milliseconds. */
const silenceMs = 300_000;

export type StreamOptions = {
  status: ContentfulStatusCode;
  headers: Record<string, string>;
  log: Log;
  /** Called with each chunk after the server sent it, to free its memory. */
  release?: (chunk: Uint8Array) => void;
};

/**
 * Respond with a stream, with backpressure. A failure before the first chunk becomes an error response. A later failure destroys
 * the connection, so that no client mistakes a part for the whole.
 */
export async function streamResponse<E extends { Variables: { requestId: string } }>(
  c: Context<E>,
  source: AsyncIterable<Uint8Array>,
  { status, headers, log, release }: StreamOptions,
): Promise<Response> {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  const chunks = source[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<Uint8Array>> | undefined = chunks.next();
  await next;
  if (outgoing !== undefined && "setTimeout" in outgoing) outgoing.setTimeout(silenceMs, () => outgoing.destroy());
  const fail = (error: unknown, controller: ReadableStreamDefaultController) => {
    log.error({ err: error, requestId: c.get("requestId") }, "a response failed while it was sent");
    if (outgoing === undefined) controller.error(error);
    // The server's own error handling would write the error's text into the response.
    else outgoing.destroy();
  };
  let given: Uint8Array | undefined;
  let hasLeft = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (given !== undefined && outgoing?.headersSent && outgoing.writableLength === 0) release?.(given);
        try {
          const { done, value } = await (next ?? chunks.next());
          next = undefined;
          given = value;
          // The client may leave while a chunk is being read. Nothing can be given to its stream then.
          if (hasLeft) return;
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          fail(error, controller);
        }
      },
      async cancel() {
        hasLeft = true;
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return c.body(body, status, headers);
}
