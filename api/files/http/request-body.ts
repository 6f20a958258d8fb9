import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { AppError } from "../../platform/errors.ts";
import type { FilesConfig } from "../configuration.ts";
import { abortable } from "../content/abortable.ts";
import { release } from "../content/release-buffers.ts";
import type { FileEnv } from "./env.ts";

/** How long a client may send nothing before its connection is closed, in milliseconds. */
const silenceMs = 120_000;

type BodyTime = Pick<FilesConfig, "bodySeconds">;

export type Upload = {
  content: AsyncIterable<Uint8Array>;
  declaredSize?: number;
  /** Undefined when the request names none. */
  mimeType: string | undefined;
};

/**
 * Open the request's raw body as a stream, with backpressure. @throws AppError INVALID_INPUT for an encoded body or a byte range
 */
export function readUpload(c: Context<FileEnv>, time: BodyTime): Upload {
  const mimeType = c.req.header("content-type");
  refuseTransformed(c);
  const length = c.req.header("content-length");
  const content = sentBytes(c, time, { reused: true });
  if (length === undefined) return { content, mimeType };
  return { content, declaredSize: Number(length), mimeType };
}

function refuseTransformed(c: Context<FileEnv>): void {
  const encoding = c.req.header("content-encoding");
  const details = [];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    const message = "Send the bytes as they are, without Content-Encoding.";
    details.push({ path: "Content-Encoding", rule: "identity", message });
  }
  if (c.req.header("content-range") !== undefined) {
    const message = "Send the file whole, or in parts by tus at /api/fs/upload.";
    details.push({ path: "Content-Range", rule: "whole", message });
  }
  if (details.length > 0) throw new AppError("INVALID_INPUT", "The body cannot be accepted in this form.", { details });
}

/**
 * Read the body's chunks as the client sends them.
 * @param options `reused`: each chunk is valid only until the next is read
 * @throws AppError INVALID_INPUT when the client stops before the end; REQUEST_TIMEOUT when the body takes longer than allowed
 */
export async function* sentBytes(
  c: Context<FileEnv>,
  { bodySeconds }: BodyTime,
  { reused = false } = {},
): AsyncGenerator<Uint8Array> {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const silence = setTimeout(() => incoming?.socket?.destroy(), silenceMs).unref();
  const deadline = AbortSignal.timeout(bodySeconds * 1000);
  try {
    for await (const chunk of abortable(bodyOf(c, incoming), deadline)) {
      yield chunk;
      // We free chunks ourselves because hundreds of MiB would accumulate before the garbage collector runs.
      if (reused && incoming !== undefined) release(chunk);
      silence.refresh();
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if (deadline.aborted) throw tooSlow(bodySeconds);
    throw new AppError("INVALID_INPUT", "The upload ended early.", {
      cause,
      details: [{ path: "body", rule: "incomplete", message: "The connection was closed before the end of the body." }],
    });
  } finally {
    clearTimeout(silence);
  }
}

function tooSlow(seconds: number): AppError {
  const message = `A body may take at most ${seconds} seconds; send large files in parts, by tus at /api/fs/upload.`;
  return new AppError("REQUEST_TIMEOUT", message, {
    details: [{ path: "body", rule: "duration", message }],
    // The rest of the body is not read, so the connection cannot carry another request.
    headers: { Connection: "close" },
  });
}

/** Node's own stream where there is one: it is faster than the web stream. It stays open for the response. */
function bodyOf(c: Context<FileEnv>, incoming: HttpBindings["incoming"] | undefined): AsyncIterable<Uint8Array> {
  if (incoming !== undefined && "iterator" in incoming) {
    return incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  }
  return (c.req.raw.body ?? []) as unknown as AsyncIterable<Uint8Array>;
}
