import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/client.ts";
import { AppError } from "../../errors.ts";
import type { Ability } from "../authority/grant.ts";
import { notFound } from "../authority/not-found.ts";
import type { FileContext } from "../deps.ts";
import { fileColumns } from "../find.ts";
import { ancestorsOf } from "../paths.ts";
import { isHidden } from "../records.ts";
import { files } from "../tables.ts";

/** Marks of folders, as far as one of these folders has them. */
export async function marksAmong(
  db: Database | Transaction,
  namespace: string,
  folders: readonly string[],
): Promise<{ hidden: boolean; public: boolean }> {
  const found = await db.execute<{ hidden: boolean; public: boolean }>(sql`
    select coalesce(bool_or(hidden), false) as hidden, coalesce(bool_or(public), false) as public
    from folder_flags where namespace = ${namespace} and path = any(${sql.param([...folders])}::text[])`);
  return found.rows[0] ?? { hidden: false, public: false };
}

/**
 * Where a file would lie, with the marks of the folders above.
 * @throws AppError NOT_FOUND when it would be out of the caller's scope there, or hidden from it
 */
export async function requireReachable(
  tx: Transaction,
  ctx: FileContext,
  { path, hidden }: { path: string; hidden: boolean },
): Promise<{ path: string; folderHidden: boolean; folderPublic: boolean }> {
  const marks = await marksAmong(tx, ctx.access.grant.owner, ancestorsOf(path));
  const place = { path, folderHidden: marks.hidden, folderPublic: marks.public };
  ctx.access.requireSee("fs/write", { path, hidden: isHidden({ ...place, hidden }) });
  return place;
}

/**
 * In a transaction that holds the namespace, so that the path stays free.
 * @throws AppError CONFLICT when a live file has the path; NOT_FOUND when it is one that the caller may not see
 */
export async function requireFree(tx: Transaction, ctx: FileContext, ability: Ability, path: string): Promise<void> {
  const [taken] = await tx
    .select(fileColumns)
    .from(files)
    .where(and(eq(files.namespace, ctx.access.grant.owner), eq(files.path, path), isNull(files.trashedAt)))
    .limit(1);
  if (taken === undefined) return;
  if (!ctx.access.canSee(ability, { path, hidden: isHidden(taken) })) throw notFound();
  throw new AppError("CONFLICT", "There is already a file at this path.", {
    details: [{ path: "path", rule: "path-free", message: "Move or delete that file first, or choose another path." }],
  });
}
