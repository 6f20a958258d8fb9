import { sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import type { Visibility } from "../authority/access.ts";
import { rangesOf } from "./ranges.ts";
import { columnsOf, shownByItself, underFolder } from "./visibility.ts";

/** `files` is exact unless `more`. */
export type FolderCount = { files: number; more: boolean };

/** So many files of a folder are looked at. */
const countedFiles = 100;

/** How many files below each of some folders may be seen, at all depths, counted as far as that is cheap. */
export async function countFiles(
  db: Database,
  { namespace, visibility, folders }: { namespace: string; visibility: Visibility; folders: readonly string[] },
): Promise<Map<string, FolderCount>> {
  const ranges = folders.flatMap((folder) => rangesOf(visibility, folder).map((range) => ({ ...range, folder })));
  if (ranges.length === 0) return new Map();
  const { froms, tos, reveals } = columnsOf(ranges);
  const owners = sql`${sql.param(ranges.map(({ folder }) => folder))}`;
  const inRange = sql`
    select files.namespace, files.path from files
    where files.namespace = ${namespace} and files.trashed_at is null
      and files.path >= range.lower and files.path < range.upper and files.path <> range.folder`;
  const rows = await db.execute<{ folder: string; looked: number; seen: number }>(sql`
    select range.folder, count(*)::int as looked,
      (count(*) filter (where range.revealed or not ${underFolder("hidden")}))::int as seen
    from unnest(${owners}::text[], ${froms}::text[], ${tos}::text[], ${reveals}::boolean[])
      as range (folder, lower, upper, revealed)
    cross join lateral (
      (${inRange} and ${shownByItself} and not range.revealed order by files.path limit ${countedFiles + 1})
      union all
      (${inRange} and range.revealed order by files.path limit ${countedFiles + 1})
    ) files
    group by range.folder`);
  return new Map(
    rows.rows.map(({ folder, looked, seen }) => [
      folder,
      { files: Math.min(seen, countedFiles), more: looked > countedFiles },
    ]),
  );
}
