import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../../platform/http/context.ts";
import { release } from "../content/release-buffers.ts";

/** How long a reader may take nothing before its connection ends, in milliseconds. */
const silenceMs = 300_000;

/**
 * Answer with a stream, read only as fast as the client takes it. A failure before the first chunk becomes an error answer; one
 * later destroys the connection, so that no client takes a part for the whole.
 */
export async function streamAnswer(
  c: Context<AppEnv>,
  source: AsyncIterable<Uint8Array>,
  status: ContentfulStatusCode,
  headers: Record<string, string>,
): Promise<Response> {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  const chunks = source[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<Uint8Array>> | undefined = chunks.next();
  await next;
  if (outgoing !== undefined && "setTimeout" in outgoing) outgoing.setTimeout(silenceMs, () => outgoing.destroy());
  const fail = (error: unknown, controller: ReadableStreamDefaultController) => {
    const { log } = c.get("deps");
    log.error({ err: error, requestId: c.get("requestId") }, "an answer broke off");
    if (outgoing === undefined) controller.error(error);
    // The server's own way would write the error's text into the answer.
    else outgoing.destroy();
  };
  let given: Uint8Array | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // The chunk before is with the kernel: left to the garbage collector, they come to hundreds of MiB before it runs.
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
