import { decodeCursor, encodeCursor } from "../../../platform/http/index.ts";
import { parseFolder } from "../../../platform/ucan/index.ts";
import { eventBy } from "../../audit/event-by.ts";
import { cutLines } from "../../content/lines.ts";
import type { FileContext } from "../../deps.ts";
import { streamContent } from "../../read/open-content.ts";
import type { FoundFile } from "../../records/file-metadata.ts";
import type { OpenFile } from "../../records/find-file.ts";
import { limitOf, type Page, type PageInput, rowsOf } from "../../tree/pages.ts";
import { afterPath } from "../../visibility/path-ranges.ts";
import { scanFiles } from "../../visibility/scan-files.ts";
import { parseGlob } from "../glob/glob-pattern.ts";
import { withContent } from "../read-head.ts";
import { mayBeText } from "../words.ts";
import { WorkBudget } from "../work-budget.ts";
import { type GrepPattern, type LineMatcher, parseGrepPattern } from "./grep-pattern.ts";

/** One line, or the part of a long line around the match. */
export type GrepMatch = { id: string; path: string; version: number; line: number; text: string };
export type GrepInput = PageInput &
  GrepPattern & {
    /** A folder or one file; default everything. */
    path?: string | undefined;
    /** Only files whose paths match, see parseGlob. */
    glob?: string | undefined;
  };

/** Most bytes that one page reads; the next page continues there. */
const filesPerRead = 50;
const filesPerPage = 500;
const bytesPerPage = 32 * 1024 ** 2;
const matchingMs = 1_000;
const inspectedBytes = 8_192;
const maxShown = 500;
const shownBefore = 100;

/** The place where a page continues: lines up to `line` of the file are done, and they end at byte `offset` of `version`. */
type Place = { path: string; id: string; version: number; line: number; offset: number };
type Search = {
  ctx: FileContext;
  matcher: LineMatcher;
  limit: number;
  budget: WorkBudget;
  bytesLeft: number;
  found: GrepMatch[];
};

/**
 * Find lines that match the pattern in the text files that the caller may read, sorted by path and line. A page reads a limited
 * number of bytes, so it may be short or empty and still have a `nextCursor`. Lines longer than 16 KiB are searched in pieces.
 * @throws AppError FORBIDDEN, INVALID_INPUT
 */
export async function grepFiles(ctx: FileContext, input: GrepInput): Promise<Page<GrepMatch>> {
  ctx.access.requireAbility("fs/read");
  const limit = limitOf(input);
  const matcher = parseGrepPattern(input);
  const glob = input.glob === undefined ? undefined : parseGlob(input.glob);
  const within = parseFolder(input.path ?? "/");
  const budget = new WorkBudget(matchingMs);
  const search: Search = { ctx, matcher, limit, budget, bytesLeft: bytesPerPage, found: [] };
  let place = placeOf(input.cursor);
  for (let looked = 0; looked < filesPerPage; looked += filesPerRead) {
    const paths = await scanFiles(ctx.deps.db, {
      namespace: ctx.access.grant.owner,
      visibility: ctx.access.visibility("fs/read"),
      within,
      ...(place === undefined ? {} : { from: place.offset > 0 ? place.path : afterPath(place.path) }),
      limit: filesPerRead,
    });
    for (const row of await rowsOf(
      ctx,
      "fs/read",
      glob === undefined ? paths : paths.filter(({ path }) => glob.matches(path)),
    )) {
      const rest = await withContent(ctx, row, (open) => grepFile(search, open, place));
      place = rest ?? doneWith(row);
      if (rest !== undefined || isPageFull(search)) return pageOf(search, place);
    }
    const last = paths.at(-1);
    if (last === undefined || paths.length < filesPerRead) return pageOf(search, undefined);
    place = doneWith(last);
  }
  return pageOf(search, place);
}

/** Search one file. @returns where to continue in it when the page ends before the file */
async function grepFile(search: Search, { file, key, details }: OpenFile, place?: Place): Promise<Place | undefined> {
  const { ctx, budget } = search;
  if (!mayBeText(details.mimeType)) return undefined;
  const resumed = place?.id === file.id && place.version === file.version ? place : undefined;
  const start = resumed?.offset ?? 0;
  if (start >= file.size) return undefined;
  const range = { start, end: file.size - 1 };
  const found = search.found.length;
  let line = resumed?.line ?? 0;
  try {
    for await (const lines of cutLines(
      unlessBinary(search, streamContent(ctx, { fileId: file.id, key, row: file, range })),
    )) {
      for (const { bytes, next, whole } of lines) {
        search.bytesLeft -= bytes.length + 1;
        const text = bytes.toString("utf8");
        const at = search.matcher(text);
        if (at >= 0) search.found.push(matchOf(file, line + 1, text, at));
        if (whole) line += 1;
        await budget.yieldToOthers();
        if (isPageFull(search) && start + next < file.size) {
          return { path: file.path, id: file.id, version: file.version, line, offset: start + next };
        }
      }
    }
    return undefined;
  } catch (error) {
    // The file may be read again from its beginning.
    search.found.length = found;
    throw error;
  } finally {
    if (search.found.length > found) {
      ctx.deps.files.audit.recordRead({ ...eventBy(ctx), kind: "read", fileId: file.id, version: file.version });
    }
  }
}

/**
 * Return the stream, or nothing if its beginning contains a NUL, which text never does. The bytes that were read count
 * nevertheless.
 */
async function* unlessBinary(search: Search, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let first = true;
  for await (const chunk of source) {
    if (first && chunk.subarray(0, inspectedBytes).includes(0)) {
      search.bytesLeft -= chunk.length;
      return;
    }
    first = false;
    yield chunk;
  }
}

function matchOf(file: FoundFile, line: number, text: string, at: number): GrepMatch {
  const begin = text.length <= maxShown ? 0 : Math.max(0, at - shownBefore);
  const shown = text.slice(begin, begin + maxShown).toWellFormed();
  return { id: file.id, path: file.path, version: file.version, line, text: shown };
}

function isPageFull({ found, limit, bytesLeft, budget }: Search): boolean {
  return found.length >= limit || bytesLeft <= 0 || budget.spent;
}

function doneWith({ path, id }: { path: string; id: string }): Place {
  return { path, id, version: 0, line: 0, offset: 0 };
}

function pageOf({ found }: Search, place: Place | undefined): Page<GrepMatch> {
  if (place === undefined) return { items: found, nextCursor: null };
  const { path, id, version, line, offset } = place;
  return { items: found, nextCursor: encodeCursor([path, id, version, line, offset]) };
}

function placeOf(cursor: string | undefined): Place | undefined {
  const position = decodeCursor(cursor, 5);
  if (position === undefined) return undefined;
  const [path, id, ...numbers] = position;
  const [version, line, offset] = numbers.map((each) => Math.max(0, Math.trunc(Number(each)) || 0));
  return {
    path: parseFolder(String(path), "cursor"),
    id: String(id),
    version: version ?? 0,
    line: line ?? 0,
    offset: offset ?? 0,
  };
}
