import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { UsageError } from "./client.ts";
import { type Progress, showProgress } from "./progress.ts";
import type { Session } from "./session.ts";

/** `whole`: created while it is sent, so it has no CID and no ranges. */
export type Source = { path: string; query?: Record<string, string>; whole?: boolean };

/**
 * Download into a file, or to standard output for `-`. It resumes an interrupted download of the same bytes, and compares the whole
 * with its hash before it renames the file to the target.
 * @throws RefusedError; UsageError when the bytes are not those that the server named
 */
export async function download(session: Session, source: Source, target: string): Promise<void> {
  const client = await session.client();
  const { path, query = {} } = source;
  if (target === "-") {
    const answer = await client.send("GET", path, { query });
    await pipeline(bytesOf(answer), process.stdout, { end: false });
    return;
  }
  await mkdir(dirname(target), { recursive: true });
  const named = source.whole ? undefined : await describe(session, source);
  const part = named === undefined ? `${target}.part` : `${target}.${named.cid.slice(-16)}.part`;
  const kept = named === undefined ? 0 : Math.min(named.size, (await stat(part).catch(() => undefined))?.size ?? 0);
  const progress = showProgress(target, named?.size, !session.json && !session.quiet);
  try {
    if (named === undefined || kept < named.size || named.size === 0) {
      const resume: Record<string, string> =
        kept > 0 && named !== undefined ? { range: `bytes=${kept}-`, "if-range": `"${named.cid}"` } : {};
      const answer = await client.send("GET", path, { query, headers: resume });
      const begin = answer.status === 206 ? kept : 0;
      await save(answer, part, begin, progress);
    }
  } finally {
    progress.end();
  }
  const hash = await hashOf(part);
  if (named !== undefined && hash !== named.contentHash) {
    await rm(part, { force: true });
    throw new UsageError(`What came for ${target} is not what the server named; try again.`);
  }
  await rename(part, target);
  const { size } = await stat(target);
  session.print({ target, size, contentHash: hash, ...(named === undefined ? {} : { cid: named.cid }) }, "");
  session.note(`${target}: ${size} bytes${kept > 0 ? `, of which ${kept} were there` : ""}`);
}

async function describe(session: Session, { path, query = {} }: Source) {
  const { headers } = await (await session.client()).send("HEAD", path, { query });
  const cid = headers.get("x-vfs-cid") ?? "";
  return { cid, size: Number(headers.get("content-length")), contentHash: headers.get("x-vfs-content-hash") ?? "" };
}

async function save(answer: Response, part: string, begin: number, progress: Progress): Promise<void> {
  let bytes = begin;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      progress.at(bytes);
      done(null, chunk);
    },
  });
  await pipeline(bytesOf(answer), count, createWriteStream(part, begin > 0 ? { flags: "r+", start: begin } : {}));
}

function bytesOf(answer: Response): Readable {
  if (answer.body === null) return Readable.from([]);
  return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return `sha256-${hash.digest("base64")}`;
}
