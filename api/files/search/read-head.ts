import { buffer } from "node:stream/consumers";
import type { FileContext } from "../deps.ts";
import { streamContent } from "../read/open-content.ts";
import type { FoundFile } from "../records/file-metadata.ts";
import { type OpenFile, unlock } from "../records/find-file.ts";
import { rowsOf } from "../tree/pages.ts";
import { searchedBytes } from "./words.ts";

/**
 * Work on the content of a file that a scan found. When it is purged, moved out of sight or rewritten meanwhile, the work begins
 * anew on what is there then, or is left out; a damaged file is logged and left out, so that it does not stand before the others.
 */
export async function withContent<T>(
  ctx: FileContext,
  row: FoundFile,
  work: (open: OpenFile) => Promise<T>,
): Promise<T | undefined> {
  let current: FoundFile | undefined = row;
  for (let attempt = 1; current !== undefined; attempt += 1) {
    try {
      return await work(await unlock(ctx.deps, current));
    } catch (error) {
      ctx.signal?.throwIfAborted();
      const before: FoundFile = current;
      [current] = await rowsOf(ctx, "fs/read", [before]);
      if (current === undefined) return undefined;
      const changed = current.blob !== before.blob || current.secretId !== before.secretId;
      if (changed && attempt < 5) continue;
      ctx.deps.log.error(
        { err: error, fileId: row.id, requestId: ctx.requestId },
        "a file's content could not be read",
      );
      return undefined;
    }
  }
  return undefined;
}

/** The first bytes of a file, as far as search looks. */
export function readHead(ctx: FileContext, { file, key }: OpenFile): Promise<Buffer> {
  const end = Math.min(file.size, searchedBytes) - 1;
  return end < 0 ? Promise.resolve(Buffer.alloc(0)) : buffer(streamContent(ctx, rangeOf(file, key, end)));
}

function rangeOf(file: FoundFile, key: OpenFile["key"], end: number) {
  return { fileId: file.id, key, row: file, range: { start: 0, end } };
}
