import { type SQL, sql } from "drizzle-orm";
import type { Visibility } from "../../platform/ucan/index.ts";
import { type PathRange, rangesOf } from "./path-ranges.ts";

/**
 * SQL condition for a file that is neither marked hidden nor below a dot name. Must equal the condition of the partial indexes.
 */
export const shownByItself = sql.raw("not files.hidden and strpos(files.path, '/.') = 0");

/**
 * SQL condition for a marked folder above `files.path`. It needs one index lookup for each folder above, regardless of the number
 * of marks. For statements that name the table `files`.
 */
export function underFolder(mark: "hidden" | "public"): SQL<boolean> {
  // An array, because PostgreSQL may plan a join that reads every mark of the namespace for every file.
  return sql<boolean>`exists (
    select 1 from folder_flags flag
    where flag.namespace = files.namespace and ${sql.raw(`flag.${mark}`)} and flag.path = any(array(
      select coalesce(nullif(array_to_string((string_to_array(files.path, '/'))[1:depth], '/'), ''), '/')
      from generate_series(1, length(files.path) - length(replace(files.path, '/', ''))) depth)))`;
}

/** SQL condition for a hidden file at `files.path`, regardless of the caller. */
export function hiddenEffective(): SQL<boolean> {
  return sql<boolean>`(not (${shownByItself}) or ${underFolder("hidden")})`;
}

/**
 * SQL condition for the files that a caller may see, for statements that name the table `files`: scopes of paths by whole
 * segments, and hidden files only where they are revealed. It does not check the namespace or the trash.
 * @param within only files below this folder, or this file
 */
export function visibleWhere(visibility: Visibility, within = "/"): SQL {
  const ranges = rangesOf(visibility, within);
  if (ranges.length === 0) return sql`false`;
  return ranges.length <= 32 ? sql`(${sql.join(ranges.map(inRange), sql` or `)})` : inAnyRange(ranges);
}

function inRange({ from, to, revealed }: PathRange): SQL {
  const inside = sql`files.path >= ${from} and files.path < ${to}`;
  return revealed ? sql`(${inside})` : sql`(${inside} and not ${hiddenEffective()})`;
}

function inAnyRange(ranges: readonly PathRange[]): SQL {
  const { froms, tos, reveals } = columnsOf(ranges);
  return sql`exists (
    select 1 from unnest(${froms}::text[], ${tos}::text[], ${reveals}::boolean[]) visible (lower, upper, revealed)
    where files.path >= visible.lower and files.path < visible.upper
      and (visible.revealed or not ${hiddenEffective()}))`;
}

/** Pass ranges as three array parameters, so that the statement's text does not depend on their number. */
export function columnsOf(ranges: readonly PathRange[]): { froms: SQL; tos: SQL; reveals: SQL } {
  return {
    froms: sql`${sql.param(ranges.map(({ from }) => from))}`,
    tos: sql`${sql.param(ranges.map(({ to }) => to))}`,
    reveals: sql`${sql.param(ranges.map(({ revealed }) => revealed))}`,
  };
}
