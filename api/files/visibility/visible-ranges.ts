import { sql } from "drizzle-orm";
import type { Database, Transaction } from "../../platform/db/index.ts";
import type { Visibility } from "../../platform/ucan/index.ts";
import { comparePaths, type PathRange, rangesOf, withoutFolders } from "./path-ranges.ts";

export type RangeQuery = {
  namespace: string;
  visibility: Visibility;
  within?: string;
  /** Leave out paths before this one. */
  from?: string;
  /** How many folder marks are read together, at least 2; default 512. */
  marksPerRead?: number;
};

/**
 * Yield what the caller may see as sorted ranges of paths, without everything below hidden folders, so that a scan skips a hidden
 * folder without reading its files. The marks are read in batches; each batch yields an array of ranges.
 */
export async function* visibleRanges(db: Database | Transaction, query: RangeQuery): AsyncGenerator<PathRange[]> {
  const ranges = rangesOf(query.visibility, query.within, query.from);
  const end = ranges.at(-1)?.to;
  const { namespace, marksPerRead = 512 } = query;
  let start = ranges[0]?.from;
  // Folder marks matter only where hidden files are not revealed.
  if (ranges.every(({ revealed }) => revealed)) {
    if (ranges.length > 0) yield ranges;
    return;
  }
  while (start !== undefined && end !== undefined) {
    const marks = await hiddenFolders(db, { namespace, from: start, to: end, limit: marksPerRead });
    const horizon: string | undefined = marks.following < marksPerRead ? undefined : marks.folders.at(-1);
    const known = clip(ranges, start, horizon ?? end);
    const visible = withoutFolders(known, marks.folders);
    if (visible.length > 0) yield visible;
    start = horizon;
  }
}

function clip(ranges: readonly PathRange[], start: string, end: string): PathRange[] {
  const later = (a: string, b: string) => (comparePaths(a, b) > 0 ? a : b);
  const earlier = (a: string, b: string) => (comparePaths(a, b) < 0 ? a : b);
  return ranges
    .map((range) => ({ ...range, from: later(range.from, start), to: earlier(range.to, end) }))
    .filter(({ from, to }) => comparePaths(from, to) < 0);
}

/**
 * List every folder that sorts before `path` and may contain files after it: those above it, and those like `/a` for `/a-b`,
 * because `/a-b` sorts before `/a/b`.
 */
function prefixesOf(path: string): string[] {
  const prefixes = path.startsWith("/") ? ["/"] : [];
  for (let i = 1; i < path.length; i++) if (path.charCodeAt(i) <= 0x2f) prefixes.push(path.slice(0, i));
  return prefixes;
}

/** Read hidden folders before `from` that extend beyond it, then the next ones in order; `following` counts the latter. */
async function hiddenFolders(
  db: Database | Transaction,
  { namespace, from, to, limit }: { namespace: string; from: string; to: string; limit: number },
): Promise<{ folders: string[]; following: number }> {
  const found = await db.execute<{ path: string; following: boolean }>(sql`
    select path, false as following from folder_flags
    where namespace = ${namespace} and hidden and path = any(${sql.param(prefixesOf(from))}::text[])
    union all
    (select path, true from folder_flags
      where namespace = ${namespace} and hidden and path >= ${from} and path < ${to} order by path limit ${limit})
    order by following, path`);
  const following = found.rows.filter((row) => row.following).length;
  return { folders: found.rows.map(({ path }) => path), following };
}
