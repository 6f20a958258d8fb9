import { eq, sql } from "drizzle-orm";
import type { FileContext } from "../deps.ts";
import { namespaces } from "../tables.ts";
import { visibleWhere } from "../tree/visibility.ts";

/** Counts of files, trashed ones included. `bytes` counts the plaintext of every retained version. */
type Counts = { bytes: number; files: number; versions: number };
export type Usage = Counts & { /** Bytes that the namespace may hold; null: any number. */ quota: number | null };

/**
 * What the namespace holds; to a token of certain paths: what lies there as far as it may see it.
 * @throws AppError FORBIDDEN without fs/list
 */
export async function readUsage(ctx: FileContext): Promise<Usage> {
  ctx.access.requireAbility("fs/list");
  const whole = ctx.access.visibility("fs/list").some(({ prefix }) => prefix === "/");
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

async function countVisible(ctx: FileContext): Promise<Counts> {
  const { rows } = await ctx.deps.db.execute<Record<keyof Counts, string | number>>(sql`
    select count(*) as files, coalesce(sum(retained), 0) as versions, coalesce(sum(size + (
      select coalesce(sum(size), 0) from file_versions where file_versions.file_id = files.id)), 0) as bytes
    from files
    where files.namespace = ${ctx.access.grant.owner} and ${visibleWhere(ctx.access.visibility("fs/list"))}`);
  const { bytes = 0, files = 0, versions = 0 } = rows[0] ?? {};
  return { bytes: Number(bytes), files: Number(files), versions: Number(versions) };
}
