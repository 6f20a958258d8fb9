import { sql } from "drizzle-orm";
import type { Database, Transaction } from "../../platform/db/index.ts";
import type { PathRange } from "./path-ranges.ts";
import { type RangeQuery, visibleRanges } from "./visible-ranges.ts";
import { columnsOf, shownByItself } from "./visible-where.ts";

export type ScannedFile = { id: string; path: string };

export type ScanQuery = RangeQuery & {
  limit: number;
  /** Scan the trash, where several files may have had the same path. */
  trashed?: boolean;
  /** Continue after this file; its path must not be before `from`. */
  after?: ScannedFile;
};

/** Number of ranges per statement: few at first, because the first ones usually fill the page. */
const rangesPerStatement = [8, 64, 512];

/**
 * Find the next visible files, sorted by path. It reads one index entry per returned row, and one or two per empty range,
 * regardless of the size of the namespace.
 */
export async function scanFiles(db: Database | Transaction, query: ScanQuery): Promise<ScannedFile[]> {
  const found: ScannedFile[] = [];
  let statements = 0;
  for await (const ranges of visibleRanges(db, query)) {
    for (let at = 0; at < ranges.length; ) {
      const some = ranges.slice(at, at + (rangesPerStatement[Math.min(statements++, 2)] ?? 1));
      at += some.length;
      found.push(...(await scanRanges(db, query, some, query.limit - found.length)));
      if (found.length >= query.limit) return found;
    }
  }
  return found;
}

async function scanRanges(
  db: Database | Transaction,
  { namespace, trashed = false, after }: ScanQuery,
  ranges: PathRange[],
  limit: number,
): Promise<ScannedFile[]> {
  const { froms, tos, reveals } = columnsOf(ranges);
  const state = trashed ? sql`files.trashed_at is not null` : sql`files.trashed_at is null`;
  const order = trashed ? sql`files.path, files.id` : sql`files.path`;
  const later = after === undefined ? sql`` : sql`and (files.path, files.id) > (${after.path}, ${after.id})`;
  const inRange = sql`
    select files.id, files.path from files
    where files.namespace = ${namespace} and ${state} and files.path >= range.lower and files.path < range.upper ${later}`;
  // Two branches, because PostgreSQL uses the index of visible files only if the statement contains its condition literally.
  const rows = await db.execute<ScannedFile>(sql`
    select file.id, file.path
    from unnest(${froms}::text[], ${tos}::text[], ${reveals}::boolean[])
      with ordinality as range (lower, upper, revealed, position)
    cross join lateral (
      (${inRange} and ${shownByItself} and not range.revealed order by ${order} limit ${limit})
      union all
      (${inRange} and range.revealed order by ${order} limit ${limit})
    ) file
    order by range.position, file.path, file.id
    limit ${limit}`);
  return rows.rows;
}
