import type { HttpBindings } from "@hono/node-server";
import type { HonoRequest } from "hono";
import { AppError } from "../errors.ts";

const MiB = 1024 * 1024;
/** Largest body of a route that does not say otherwise, in bytes. */
export const defaultBodyLimit = MiB;
/** How long a body that is read whole may take, in milliseconds; then its connection ends. */
const deadlineMs = 300_000;

/** What of a route's context gives the body; any route's context has it. */
type BodyContext = {
  req: HonoRequest;
  env: unknown;
  set: (name: "bodyBytes", bytes: Uint8Array) => void;
};

/**
 * The request's whole body, read once and kept in `bodyBytes`.
 * @throws AppError TOO_LARGE as soon as the declared or the real length passes `limit`, before anything is parsed
 */
export async function readBody(c: BodyContext, limit: number): Promise<Uint8Array> {
  const declared = Number(c.req.header("content-length") ?? 0);
  if (declared > limit) throw tooLarge(limit);
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const deadline = setTimeout(() => incoming?.socket?.destroy(), deadlineMs).unref();
  // With a declared length the server never hands over more than that; the stream is counted only without one.
  const reading = declared > 0 ? c.req.arrayBuffer().then((all) => new Uint8Array(all)) : readStream(c, limit);
  const bytes = await reading.finally(() => clearTimeout(deadline));
  if (bytes.byteLength > limit) throw tooLarge(limit);
  c.set("bodyBytes", bytes);
  return bytes;
}

async function readStream(c: BodyContext, limit: number): Promise<Uint8Array> {
  const stream = c.req.raw.body;
  if (stream === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number): AppError {
  const message = `The body is larger than ${limit} bytes.`;
  return new AppError("TOO_LARGE", message, {
    details: [{ path: "body", rule: "size", message }],
    // What is left of the body is not read, so the connection cannot carry another request.
    headers: { Connection: "close" },
  });
}
