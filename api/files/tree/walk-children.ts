import { type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../platform/db/index.ts";
import { afterFolder, afterPath, belowFolder, comparePaths, type PathRange } from "../visibility/path-ranges.ts";
import type { ScanQuery } from "../visibility/scan-files.ts";
import { visibleRanges } from "../visibility/visible-ranges.ts";
import { columnsOf, shownByItself } from "../visibility/visible-where.ts";

/** A direct child: `id` is set for a file, null for a folder. */
export type Child = { path: string; id: string | null };

export type WalkQuery = Pick<ScanQuery, "namespace" | "visibility" | "limit" | "marksPerRead"> & {
  folder: string;
  /** Continue after this child. */
  after?: Child;
};

const rangesPerStatement = 64;

/**
 * List the direct children of a folder that contain something visible, sorted by path; a folder is listed where its first file
 * would be. It needs one index step per child, because it skips the files below a child folder.
 */
export async function walkChildren(db: Database | Transaction, query: WalkQuery): Promise<Child[]> {
  const { folder, limit, after, ...seen } = query;
  const found: Child[] = [];
  // A file at the folder's path is not its child.
  let from = after === undefined ? belowFolder(folder) : afterChild(after);
  for await (const ranges of visibleRanges(db, { ...seen, within: folder, from })) {
    for (let at = 0; at < ranges.length; at += rangesPerStatement) {
      const some = ranges.slice(at, at + rangesPerStatement).filter(({ to }) => comparePaths(from, to) < 0);
      if (some.length === 0) continue;
      found.push(...(await walkRanges(db, query, some, { from, limit: limit - found.length })));
      if (found.length >= limit) return found;
      const last = found.at(-1);
      if (last !== undefined) from = afterChild(last);
    }
  }
  return found;
}

/** Compute the path from which the walk continues after a child. */
function afterChild({ path, id }: Child): string {
  return id === null ? afterFolder(path) : afterPath(path);
}

async function walkRanges(
  db: Database | Transaction,
  { namespace, folder }: WalkQuery,
  ranges: PathRange[],
  { from, limit }: { from: string; limit: number },
): Promise<Child[]> {
  const { froms, tos, reveals } = columnsOf(ranges);
  const next = nextFile(namespace);
  // The part of a path below the folder, and the length of the child's name in it.
  const rest = sql`substr(file.path, ${[...belowFolder(folder)].length + 1}::int)`;
  const rows = await db.execute<Child>(sql`
    with recursive range (lower, upper, revealed, position) as materialized (
      select lower collate "C", upper collate "C", revealed, position
      from unnest(${froms}::text[], ${tos}::text[], ${reveals}::boolean[])
        with ordinality as given (lower, upper, revealed, position)
    ), walk (position, next, path, id, step) as (
      select 1::bigint, ${from}::text collate "C", null::text collate "C", null::text, 0
      union all
      select
        case when file.path is null then range.position + 1 else range.position end,
        case when file.path is null then walk.next when child.slash = 0 then file.path || chr(1)
          else left(file.path, -child.length) || '0' end collate "C",
        case when child.slash = 0 then file.path else left(file.path, -child.length) end collate "C",
        case when child.slash = 0 then file.id end,
        walk.step + case when file.path is null then 0 else 1 end
      from walk
      join range on range.position = walk.position
      left join lateral (
        (${next} and ${shownByItself} and not range.revealed order by files.path limit 1)
        union all
        (${next} and range.revealed order by files.path limit 1)
      ) file on true
      cross join lateral (
        select strpos(${rest}, '/') as slash, length(${rest}) - strpos(${rest}, '/') + 1 as length
      ) child
      where walk.step < ${limit}
    )
    select path, id from walk where path is not null order by step`);
  return rows.rows;
}

/** SQL for the next file of the walk within its range; the caller adds the condition for hidden files. */
function nextFile(namespace: string): SQL {
  return sql`
    select files.id, files.path from files
    where files.namespace = ${namespace} and files.trashed_at is null
      and files.path >= greatest(range.lower, walk.next) and files.path < range.upper`;
}
