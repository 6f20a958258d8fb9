import { eq } from "drizzle-orm";
import type { FileContext } from "../deps.ts";
import { namespaces } from "../tables.ts";

/** What a namespace holds, trashed files included. `bytes` counts the plaintext of every retained version. */
export type Usage = { bytes: number; files: number; versions: number /** Bytes; null: none. */; quota: number | null };

/** @throws AppError FORBIDDEN without fs/list */
export async function readUsage(ctx: FileContext): Promise<Usage> {
  ctx.access.requireAbility("fs/list");
  const [row] = await ctx.deps.db
    .select({ bytes: namespaces.bytes, files: namespaces.files, versions: namespaces.versions })
    .from(namespaces)
    .where(eq(namespaces.namespace, ctx.access.grant.owner));
  const quota = ctx.deps.config.files.namespaceQuotaBytes ?? null;
  return { ...(row ?? { bytes: 0, files: 0, versions: 0 }), quota };
}
