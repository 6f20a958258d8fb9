import { sql } from "drizzle-orm";
import type { Database, Transaction } from "../../platform/db/client.ts";
import type { PathRange } from "./path-ranges.ts";
import { type RangeQuery, visibleRanges } from "./visible-ranges.ts";
import { columnsOf, shownByItself } from "./visible-where.ts";

export type ScannedFile = { id: string; path: string };

export type ScanQuery = RangeQuery & {
  limit: number;
  /** Scan the trash, where several files may have had one path. */
  trashed?: boolean;
  /** Go on after this file; its path must not lie before `from`. */
  after?: ScannedFile;
};

/** Ranges that one statement looks into: few at first, since the first ones mostly fill the page. */
const rangesPerStatement = [8, 64, 512];

/**
 * The next files that may be seen, in the order of their paths. Reads as many index entries as it gives rows, and one or two
 * for each range in which there is nothing; how many files the namespace has does not matter.
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
  // Two branches, because the index of visible files is used only for a condition that is written in the statement.
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
