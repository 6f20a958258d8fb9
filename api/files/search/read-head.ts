import { buffer } from "node:stream/consumers";
import type { FileContext } from "../deps.ts";
import { streamContent } from "../read/open-content.ts";
import type { FoundFile } from "../records/file-metadata.ts";
import { type OpenFile, unlock } from "../records/find-file.ts";
import { rowsOf } from "../tree/pages.ts";
import { searchedBytes } from "./words.ts";

/**
 * Process the content of a file that a scan found. If the file is rewritten meanwhile, start over with the new content. If it is
 * purged or moved out of sight, skip it. A damaged file is logged and skipped, so that the others are still processed.
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

/** Read the first bytes of a file, as many as search indexes. */
export function readHead(ctx: FileContext, { file, key }: OpenFile): Promise<Buffer> {
  const end = Math.min(file.size, searchedBytes) - 1;
  return end < 0 ? Promise.resolve(Buffer.alloc(0)) : buffer(streamContent(ctx, rangeOf(file, key, end)));
}

function rangeOf(file: FoundFile, key: OpenFile["key"], end: number) {
  return { fileId: file.id, key, row: file, range: { start: 0, end } };
}
