import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Log } from "../../platform/log.ts";
import { release } from "../content/release-buffers.ts";
import type { FileEnv } from "./env.ts";

/** How long a client may stop reading before its connection is closed, in milliseconds. */
const silenceMs = 300_000;

export type StreamOptions = { status: ContentfulStatusCode; headers: Record<string, string>; log: Log };

/**
 * Respond with a stream, with backpressure. A failure before the first chunk becomes an error response. A later failure destroys
 * the connection, so that no client mistakes a part for the whole.
 */
export async function streamResponse(
  c: Context<FileEnv>,
  source: AsyncIterable<Uint8Array>,
  { status, headers, log }: StreamOptions,
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
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // The last chunk is sent. We free it because hundreds of MiB would accumulate before the garbage collector runs.
        if (given !== undefined && outgoing?.headersSent && outgoing.writableLength === 0) release(given);
        try {
          const { done, value } = await (next ?? chunks.next());
          next = undefined;
          given = value;
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          fail(error, controller);
        }
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return c.body(body, status, headers);
}
