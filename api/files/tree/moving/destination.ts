import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../../platform/db/index.ts";
import { AppError } from "../../../platform/errors.ts";
import { type Ability, notFound } from "../../../platform/ucan/index.ts";
import type { FileContext } from "../../deps.ts";
import { type FoundFile, isHidden } from "../../records/file-metadata.ts";
import { fileColumns } from "../../records/lookup.ts";
import { files } from "../../records/tables.ts";

/** Check whether any of the folders is marked hidden or public. */
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
 * Require a free path, in a transaction that locks the namespace, so that the path stays free. @throws AppError CONFLICT when a
 * live file has the path; NOT_FOUND when the caller may not see that file
 */
export async function requireFree(tx: Transaction, ctx: FileContext, ability: Ability, path: string): Promise<void> {
  const [taken] = await tx
    .select(fileColumns)
    .from(files)
    .where(and(eq(files.namespace, ctx.access.grant.owner), eq(files.path, path), isNull(files.trashedAt)))
    .limit(1);
  if (taken !== undefined) throw pathTaken(ctx, ability, taken);
}

/** Create the error for a taken path: NOT_FOUND for callers that may not see the file there. */
export function pathTaken(ctx: FileContext, ability: Ability, taken: FoundFile): AppError {
  if (!ctx.access.canSee(ability, { path: taken.path, hidden: isHidden(taken) })) return notFound();
  return new AppError("CONFLICT", "There is already a file at this path.", {
    details: [{ path: "path", rule: "path-free", message: "Move or delete that file first, or choose another path." }],
  });
}
