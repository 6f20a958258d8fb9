import { sql } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import type { Visibility } from "../../platform/ucan/index.ts";
import { afterFolder, belowFolder, comparePaths, type PathRange } from "../visibility/path-ranges.ts";
import { visibleRanges } from "../visibility/visible-ranges.ts";
import { columnsOf, shownByItself } from "../visibility/visible-where.ts";

/** `files` is exact unless `more`. */
export type FolderCount = { files: number; more: boolean };

/** Counting stops after this many files in a folder. */
export const countedFiles = 50;

type CountQuery = {
  namespace: string;
  visibility: Visibility;
  /** Sorted, none within another. */
  folders: readonly string[];
};

/** Count the visible files below each folder, at all depths, up to `countedFiles` each. */
export async function countFiles(db: Database, query: CountQuery): Promise<Map<string, FolderCount>> {
  const { namespace, visibility, folders } = query;
  const [first, last] = [folders[0], folders.at(-1)];
  const counts = new Map<string, number>();
  if (first === undefined || last === undefined) return new Map();
  for await (const ranges of visibleRanges(db, { namespace, visibility, from: belowFolder(first) })) {
    const concerned = ranges.filter(({ from }) => comparePaths(from, afterFolder(last)) < 0);
    if (concerned.length === 0) break;
    for (const { folder, files } of await countWithin(db, query, concerned)) {
      counts.set(folder, (counts.get(folder) ?? 0) + files);
    }
  }
  return new Map(
    [...counts].map(([folder, files]) => [
      folder,
      { files: Math.min(files, countedFiles), more: files > countedFiles },
    ]),
  );
}

async function countWithin(
  db: Database,
  { namespace, folders }: CountQuery,
  ranges: readonly PathRange[],
): Promise<{ folder: string; files: number }[]> {
  const { froms, tos, reveals } = columnsOf(ranges);
  const { froms: lowers, tos: uppers } = columnsOf(
    folders.map((folder) => ({ from: belowFolder(folder), to: afterFolder(folder), revealed: false })),
  );
  const inBoth = sql`
    select files.path from files
    where files.namespace = ${namespace} and files.trashed_at is null
      and files.path >= greatest(range.lower, folder.lower) and files.path < least(range.upper, folder.upper)`;
  const counted = await db.execute<{ folder: string; files: number }>(sql`
    select folder.path as folder, count(*)::int as files
    from unnest(${sql.param([...folders])}::text[], ${lowers}::text[], ${uppers}::text[]) as folder (path, lower, upper)
    join unnest(${froms}::text[], ${tos}::text[], ${reveals}::boolean[]) as range (lower, upper, revealed)
      on range.lower < folder.upper collate "C" and folder.lower < range.upper collate "C"
    cross join lateral (
      (${inBoth} and ${shownByItself} and not range.revealed order by files.path limit ${countedFiles + 1})
      union all
      (${inBoth} and range.revealed order by files.path limit ${countedFiles + 1})
    ) file
    group by folder.path`);
  return counted.rows;
}
