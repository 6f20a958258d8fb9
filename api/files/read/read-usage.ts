import { eq, sql } from "drizzle-orm";
import type { FileContext } from "../deps.ts";
import { namespaces } from "../records/tables.ts";
import { visibleRanges } from "../visibility/visible-ranges.ts";
import { columnsOf, shownByItself } from "../visibility/visible-where.ts";

/** Counts of files, trashed ones included. `bytes` counts the plaintext of every retained version. */
type Counts = { bytes: number; files: number; versions: number };
export type Usage = Counts & {
  /** Bytes that the namespace may contain; null means unlimited. */ quota: number | null;
};

/**
 * Count the files of the namespace that the token may see, including the trash. Hidden files count only where the token reveals
 * them.
 * @throws AppError FORBIDDEN without fs/list
 */
export async function readUsage(ctx: FileContext): Promise<Usage> {
  ctx.access.requireAbility("fs/list");
  const whole = ctx.access.visibility("fs/list").some(({ prefix, reveal }) => prefix === "/" && reveal.all);
  const counts = whole ? await countAll(ctx) : await countVisible(ctx);
  return { ...counts, quota: ctx.deps.config.files.namespaceQuotaBytes ?? null };
}

async function countAll(ctx: FileContext): Promise<Counts> {
  const [row] = await ctx.deps.db
    .select({ bytes: namespaces.bytes, files: namespaces.files, versions: namespaces.versions })
    .from(namespaces)
    .where(eq(namespaces.namespace, ctx.access.grant.owner));
  return row ?? { bytes: 0, files: 0, versions: 0 };
}

/** Count by ranges of visible paths, so that no file needs a check of the folders above it. */
async function countVisible({ deps: { db }, access }: FileContext): Promise<Counts> {
  const counts = { bytes: 0, files: 0, versions: 0 };
  const query = { namespace: access.grant.owner, visibility: access.visibility("fs/list") };
  for await (const ranges of visibleRanges(db, query)) {
    const { froms, tos, reveals } = columnsOf(ranges);
    const { rows } = await db.execute<Record<keyof Counts, string | number>>(sql`
      select count(*) as files, coalesce(sum(retained), 0) as versions, coalesce(sum(size + case when retained = 1 then 0
        else (select coalesce(sum(old.size), 0) from file_versions old where old.file_id = files.id) end), 0) as bytes
      from unnest(${froms}::text[], ${tos}::text[], ${reveals}::boolean[]) as range (lower, upper, revealed)
      join files on files.namespace = ${query.namespace} and files.path >= range.lower and files.path < range.upper
        and (range.revealed or (${shownByItself}))`);
    for (const name of ["bytes", "files", "versions"] as const) counts[name] += Number(rows[0]?.[name] ?? 0);
  }
  return counts;
}
