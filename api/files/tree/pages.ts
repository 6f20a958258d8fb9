import { and, eq, inArray } from "drizzle-orm";
import { AppError } from "../../platform/errors.ts";
import { decodeCursor, foreignCursor } from "../../platform/http/index.ts";
import type { Ability } from "../../platform/ucan/index.ts";
import type { FileContext } from "../deps.ts";
import { type FileMetadata, type FoundFile, isHidden } from "../records/file-metadata.ts";
import { describeFiles } from "../records/find-file.ts";
import { fileColumns } from "../records/lookup.ts";
import { files } from "../records/tables.ts";
import type { ScannedFile } from "../visibility/scan-files.ts";

/** One page of a list. `nextCursor` is null on the last page; earlier pages may be short or empty too. */
export type Page<T> = { items: T[]; nextCursor: string | null };
export type PageInput = { limit?: number | undefined; cursor?: string | undefined };

const defaultLimit = 50;
const maxLimit = 500;

/** @throws AppError INVALID_INPUT unless from 1 to 500 */
export function limitOf({ limit = defaultLimit }: PageInput): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit;
  throw new AppError("INVALID_INPUT", "The limit is out of range.", {
    details: [{ path: "limit", rule: "range", message: `The limit must be from 1 to ${maxLimit}.` }],
  });
}

/** Read the path and id in a cursor. @throws AppError INVALID_INPUT for a malformed cursor */
export function afterOf(cursor: string | undefined): ScannedFile | undefined {
  const position = decodeCursor(cursor, 2);
  if (position === undefined) return undefined;
  const [path, id] = position.map(String) as [string, string];
  return { path: pathInCursor(path), id };
}

/**
 * Read a path from a cursor. The current rules for paths may not allow it, because older files may have such paths. @throws
 * AppError INVALID_INPUT for another list's cursor
 */
export function pathInCursor(text: string): string {
  if (!text.startsWith("/")) throw foreignCursor();
  return text;
}

/** Read the rows of scanned files, in order. A file that was moved or hidden since the scan is checked again. */
export async function rowsOf(
  ctx: FileContext,
  ability: Ability,
  found: readonly { id: string }[],
  { trashed = false } = {},
): Promise<FoundFile[]> {
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const rows = await ctx.deps.db
    .select(fileColumns)
    .from(files)
    .where(and(eq(files.namespace, ctx.access.grant.owner), inArray(files.id, ids)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    if (row === undefined || (row.trashedAt !== null) !== trashed) return [];
    return ctx.access.canSee(ability, { path: row.path, hidden: isHidden(row) }) ? [row] : [];
  });
}

/** Read the metadata of scanned files. */
export async function metadataOf(
  ctx: FileContext,
  ability: Ability,
  found: readonly { id: string }[],
  options: { trashed?: boolean } = {},
): Promise<FileMetadata[]> {
  return await describeFiles(ctx.deps, await rowsOf(ctx, ability, found, options));
}
