import { type SQL, sql } from "drizzle-orm";
import type { Visibility } from "../../platform/ucan/index.ts";
import { type PathRange, rangesOf } from "./path-ranges.ts";

/** True for a file that is neither marked hidden nor below a dot name. Must equal the condition of the partial indexes. */
export const shownByItself = sql.raw("not files.hidden and strpos(files.path, '/.') = 0");

/**
 * True when a folder above `files.path` has the mark: one probe of the index for each folder above, however many marks there are.
 * For statements that name the table `files`.
 */
export function underFolder(mark: "hidden" | "public"): SQL<boolean> {
  // An array rather than a join: a join may be planned to read every mark of the namespace for every file.
  return sql<boolean>`exists (
    select 1 from folder_flags flag
    where flag.namespace = files.namespace and ${sql.raw(`flag.${mark}`)} and flag.path = any(array(
      select coalesce(nullif(array_to_string((string_to_array(files.path, '/'))[1:depth], '/'), ''), '/')
      from generate_series(1, length(files.path) - length(replace(files.path, '/', ''))) depth)))`;
}

/** True when the file at `files.path` is hidden, for any caller. */
export function hiddenEffective(): SQL<boolean> {
  return sql<boolean>`(not (${shownByItself}) or ${underFolder("hidden")})`;
}

/**
 * The one WHERE of what a caller may see, for statements that name the table `files`: path scopes by whole segments, and what is
 * hidden only where it is revealed. Says nothing of namespace or trash.
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

/** Ranges as three array parameters: however many there are, the statement is the same. */
export function columnsOf(ranges: readonly PathRange[]): { froms: SQL; tos: SQL; reveals: SQL } {
  return {
    froms: sql`${sql.param(ranges.map(({ from }) => from))}`,
    tos: sql`${sql.param(ranges.map(({ to }) => to))}`,
    reveals: sql`${sql.param(ranges.map(({ revealed }) => revealed))}`,
  };
}
