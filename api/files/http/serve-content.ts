import { create as contentDisposition } from "content-disposition";
import type { Context } from "hono";
import parseRange from "range-parser";
import { AppError } from "../../platform/errors.ts";
import { streamResponse } from "../../platform/http/index.ts";
import type { Log } from "../../platform/log.ts";
import { release } from "../content/release-buffers.ts";
import type { OpenedContent } from "../read/open-content.ts";
import { entityTag, readTags } from "./entity-tags.ts";
import type { FileEnv } from "./env.ts";

/** Opened bytes, ready to be served. */
export type Servable = Omit<OpenedContent, "file"> & { file: { name: string } };

/** Content up to this size, in bytes, is sent in one piece: a stream costs more than the rest of such a request. */
const smallContent = 64 << 10;

export type ServeOptions = { cacheControl: string; log: Log };

/** Headers that keep served content from running as a page of this server. */
export const guards = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Referrer-Policy": "no-referrer",
};

/** Respond with the whole content, one range of it, or 304. HEAD gets the headers only. */
export async function serveContent(
  c: Context<FileEnv>,
  content: Servable,
  { cacheControl, log }: ServeOptions,
): Promise<Response> {
  const { cid, contentHash, version, size, mimeType, file, updatedAt } = content;
  const etag = entityTag(cid);
  const headers: Record<string, string> = {
    ...guards,
    ETag: etag,
    "Accept-Ranges": "bytes",
    "Cache-Control": cacheControl,
    "Last-Modified": updatedAt.toUTCString(),
    "x-vfs-cid": cid,
    "x-vfs-content-hash": contentHash,
    "x-vfs-version": String(version),
  };
  const ifMatch = readTags(c, "If-Match");
  if (ifMatch !== undefined && !matches(ifMatch, cid)) {
    throw new AppError("PRECONDITION_FAILED", "The content has changed: it does not match If-Match.");
  }
  const known = readTags(c, "If-None-Match");
  if (known !== undefined && matches(known, cid)) return c.body(null, 304, headers);
  headers["Content-Type"] = mimeType;
  headers["Content-Disposition"] = contentDisposition(file.name, { type: "attachment" });
  const range = wantedRange(c, content, etag);
  const length = range === undefined ? size : range.end - range.start + 1;
  headers["Content-Length"] = String(length);
  if (range !== undefined) headers["Content-Range"] = `bytes ${range.start}-${range.end}/${size}`;
  const status = range === undefined ? 200 : 206;
  if (c.req.method === "HEAD" || length === 0) return c.body(null, status, headers);
  if (length <= smallContent) return c.body(await content.bytes(range), status, headers);
  return await streamResponse(c, content.stream(range), { status, headers, log, release });
}

function matches(tags: readonly string[], cid: string): boolean {
  return tags.includes("*") || tags.includes(cid);
}

/** Read the single range that the client requests; undefined when the whole content is sent. */
function wantedRange(
  c: Context<FileEnv>,
  { size, updatedAt }: Servable,
  etag: string,
): { start: number; end: number } | undefined {
  const header = c.req.header("range");
  // Only GET has ranges (RFC 9110, section 14.2).
  if (c.req.method !== "GET" || header === undefined || !/^bytes=/i.test(header)) return undefined;
  const condition = c.req.header("if-range")?.trim();
  if (condition !== undefined && condition !== etag && condition !== updatedAt.toUTCString()) return undefined;
  const ranges = parseRange(size, withWholeSuffixes(header, size), { combine: true });
  // RFC 9110 lets a server ignore malformed ranges, and send the whole content for several ranges.
  if (ranges === -2) return undefined;
  if (ranges === -1) throw unsatisfiable(size);
  const [first] = ranges;
  return ranges.length === 1 ? first : undefined;
}

/** A suffix range longer than the content means all of it (RFC 9110, section 14.1.2); the parser would reject it. */
function withWholeSuffixes(header: string, size: number): string {
  const ranges = header.slice("bytes=".length).split(",");
  const whole = (range: string) => Number(/^\s*-(\d+)\s*$/.exec(range)?.[1] ?? 0) > size;
  return `bytes=${ranges.map((range) => (whole(range) ? "0-" : range)).join(",")}`;
}

function unsatisfiable(size: number): AppError {
  const message = `The range is outside of the ${size} bytes of the content.`;
  return new AppError("RANGE_NOT_SATISFIABLE", message, {
    details: [{ path: "Range", rule: "range", message }],
    headers: { "Content-Range": `bytes */${size}` },
  });
}
