import { AppError } from "../../platform/errors.ts";
import { isWithin, nameOf, notFound, parseFolder, segmentsOf } from "../../platform/ucan/index.ts";
import { streamZip } from "../../platform/values/stream-zip.ts";
import type { FileContext } from "../deps.ts";
import { isDamage } from "../records/damaged-file.ts";
import type { FoundFile } from "../records/file-metadata.ts";
import { walkFiles } from "../tree/walk-files.ts";
import { type OpenedContent, openContent } from "./open-content.ts";
import { PortableNames } from "./portable-names.ts";

/**
 * Zip the heads below a folder that the caller may read. The zip is streamed: it keeps one segment of one file in memory. Files
 * that disappear meanwhile are left out. Every system can unpack its names.
 * @throws AppError NOT_FOUND when there are none, unless the folder is `/`; FORBIDDEN; mid-stream at a damaged segment
 */
export async function zipFolder(ctx: FileContext, text: string): Promise<AsyncGenerator<Uint8Array>> {
  const folder = parseFolder(text);
  const files = walkFiles(ctx, { path: folder });
  const first = await files.next();
  if (first.done && folder !== "/") throw notFound();
  return zip(ctx, folder, first, files);
}

async function* zip(
  ctx: FileContext,
  folder: string,
  first: IteratorResult<FoundFile>,
  rest: AsyncGenerator<FoundFile>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* streamZip(entries(ctx, folder, first, rest));
  } finally {
    await rest.return(undefined);
  }
}

async function* entries(
  ctx: FileContext,
  folder: string,
  first: IteratorResult<FoundFile>,
  rest: AsyncGenerator<FoundFile>,
) {
  const names = new PortableNames();
  for (let next = first; !next.done; next = await rest.next()) {
    const opened = await openUnlessGone(ctx, next.value.id);
    if (opened === undefined) continue;
    if (opened === "damaged") {
      const segments = segmentsWithin(folder, next.value.path);
      const name = names.next([...segments.slice(0, -1), `${segments.at(-1)}.damaged.txt`]);
      yield { name, input: "The record of this file is damaged; its content is not in this archive.\n" };
      continue;
    }
    const { file, updatedAt: lastModified, size } = opened;
    yield { name: names.next(segmentsWithin(folder, file.path)), lastModified, size, input: opened.stream() };
  }
}

async function openUnlessGone(ctx: FileContext, id: string): Promise<OpenedContent | "damaged" | undefined> {
  try {
    return await openContent(ctx, { ref: { id } });
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return undefined;
    if (isDamage(error)) return "damaged";
    throw error;
  }
}

/** Relative to the folder; the name alone when the "folder" is the file itself. */
function segmentsWithin(folder: string, path: string): string[] {
  if (path === folder) return [nameOf(path)];
  // A file that was moved out of the folder meanwhile keeps its whole path.
  return segmentsOf(path).slice(isWithin(folder, path) ? segmentsOf(folder).length : 0);
}
