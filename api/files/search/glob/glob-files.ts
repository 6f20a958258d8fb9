import { encodeCursor } from "../../../platform/http/index.ts";
import type { FileContext } from "../../deps.ts";
import type { FileMetadata } from "../../records/file-metadata.ts";
import { afterOf, limitOf, metadataOf, type Page, type PageInput } from "../../tree/pages.ts";
import { afterPath } from "../../visibility/path-ranges.ts";
import { type ScannedFile, scanFiles } from "../../visibility/scan-files.ts";
import { WorkBudget } from "../work-budget.ts";
import { parseGlob } from "./glob-pattern.ts";

/** Limits of one page: paths that it looks at, paths per read, and milliseconds. */
const pathsPerPage = 20_000;
const matchingMs = 1_000;
const pathsPerRead = 2_000;

/**
 * List files whose paths match a glob (see parseGlob), sorted by path. A page ends after many paths that do not match, so it may
 * be short or empty and still have a `nextCursor`.
 * @throws AppError FORBIDDEN, INVALID_INPUT
 */
export async function globFiles(ctx: FileContext, input: PageInput & { pattern: string }): Promise<Page<FileMetadata>> {
  ctx.access.requireAbility("fs/list");
  const limit = limitOf(input);
  const { within, matches } = parseGlob(input.pattern);
  const found: ScannedFile[] = [];
  const budget = new WorkBudget(matchingMs);
  let last = afterOf(input.cursor);
  for (let looked = 0; looked < pathsPerPage; looked += pathsPerRead) {
    const paths = await scanFiles(ctx.deps.db, {
      namespace: ctx.access.grant.owner,
      visibility: ctx.access.visibility("fs/list"),
      within,
      ...(last === undefined ? {} : { from: afterPath(last.path) }),
      limit: pathsPerRead,
    });
    for (const file of paths) {
      last = file;
      if (matches(file.path)) found.push(file);
      if (found.length === limit || budget.spent) return await pageOf(ctx, found, last);
      await budget.yieldToOthers();
    }
    if (paths.length < pathsPerRead) return await pageOf(ctx, found, undefined);
  }
  return await pageOf(ctx, found, last);
}

async function pageOf(ctx: FileContext, found: ScannedFile[], last: ScannedFile | undefined) {
  const items = await metadataOf(ctx, "fs/list", found);
  return { items, nextCursor: last === undefined ? null : encodeCursor([last.path, last.id]) };
}
