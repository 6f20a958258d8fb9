import { Readable } from "node:stream";
import type { Context } from "hono";
import { mostRequestBytes } from "../openrosa/answer.ts";

/**
 * Read the body of a request that is refused, and keep nothing of it. A client that sends its body without waiting reads the
 * answer only afterwards; the server would close the connection meanwhile.
 * @returns headers of the answer: a body that is too large stays unread, so its connection cannot be used again
 */
export async function discardBody(c: Context): Promise<Record<string, string>> {
  const closing = { Connection: "close" };
  if (Number(c.req.header("content-length") ?? 0) > mostRequestBytes) return closing;
  const { body } = c.req.raw;
  if (body === null) return {};
  let size = 0;
  try {
    for await (const chunk of Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])) {
      size += chunk.byteLength;
      if (size > mostRequestBytes) return closing;
    }
  } catch {
    // The client has gone, so nobody reads the answer.
    return closing;
  }
  return {};
}
