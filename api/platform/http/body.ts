import type { HttpBindings } from "@hono/node-server";
import type { HonoRequest } from "hono";
import { type AppError, brokenRuleError, defineRules } from "../errors.ts";

const MiB = 1024 * 1024;
/** Default limit of a route's body, in bytes. */
export const defaultBodyLimit = MiB;
/** Default limit of the body of a route that needs no key, in bytes: parsing 1 MiB of JSON takes up to a second of processor time. */
export const keylessBodyLimit = 64 * 1024;
/** Longest time to receive a body that is read whole, in milliseconds; then the connection is closed. */
const deadlineMs = 300_000;

/** The part of a route's context that gives the body. */
type BodyContext = {
  req: HonoRequest;
  env: unknown;
  set: (name: "bodyBytes", bytes: Uint8Array) => void;
};

/**
 * Read the request's whole body once and keep it in `bodyBytes`.
 * @throws AppError TOO_LARGE as soon as the declared or real length is over `limit` bytes, before parsing
 */
export async function readBody(c: BodyContext, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = Number(c.req.header("content-length") ?? 0);
  if (declared > limit) throw tooLarge(limit);
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const deadline = setTimeout(() => incoming?.socket?.destroy(), deadlineMs).unref();
  // Node never reads more than a declared length, so bytes are counted only without one.
  const reading = declared > 0 ? c.req.arrayBuffer().then((all) => new Uint8Array(all)) : readStream(c, limit);
  const bytes = await reading.finally(() => clearTimeout(deadline));
  if (bytes.byteLength > limit) throw tooLarge(limit);
  c.set("bodyBytes", bytes);
  return bytes;
}

async function readStream(c: BodyContext, limit: number): Promise<Uint8Array<ArrayBuffer>> {
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

const broken = defineRules({ "body-too-large": ["size", "The body is larger than {limit} bytes."] });

function tooLarge(limit: number): AppError {
  // The rest of the body stays unread, so the connection cannot be used for another request.
  const headers = { Connection: "close" };
  return brokenRuleError("TOO_LARGE", broken("body-too-large", "body", { limit }), { headers });
}
