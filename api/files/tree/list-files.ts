import { toPage } from "../../platform/http/index.ts";
import { parseFolder } from "../../platform/ucan/index.ts";
import type { FileContext } from "../deps.ts";
import type { FileMetadata } from "../records/file-metadata.ts";
import { afterPath } from "../visibility/path-ranges.ts";
import { type ScannedFile, scanFiles } from "../visibility/scan-files.ts";
import { afterOf, limitOf, metadataOf, type Page, type PageInput } from "./pages.ts";

export type ListInput = PageInput & {
  /** Only files below this folder, or this file; default everything. */
  path?: string | undefined;
};

/** List files that the caller may see, sorted by path. @throws AppError FORBIDDEN, INVALID_INPUT */
export function listFiles(ctx: FileContext, input: ListInput = {}): Promise<Page<FileMetadata>> {
  return list(ctx, input, false);
}

/**
 * List files in the trash, sorted by the paths that they had; several may have had the same path. Their former paths decide
 * whether the caller may see them. @throws AppError FORBIDDEN, INVALID_INPUT
 */
export function listTrash(ctx: FileContext, input: ListInput = {}): Promise<Page<FileMetadata>> {
  return list(ctx, input, true);
}

async function list(ctx: FileContext, input: ListInput, trashed: boolean): Promise<Page<FileMetadata>> {
  ctx.access.requireAbility("fs/list");
  const limit = limitOf(input);
  const after = afterOf(input.cursor);
  const { items, nextCursor } = toPage(
    await scanFiles(ctx.deps.db, {
      namespace: ctx.access.grant.owner,
      visibility: ctx.access.visibility("fs/list"),
      within: parseFolder(input.path ?? "/"),
      limit: limit + 1,
      trashed,
      ...(after === undefined ? {} : { after, from: trashed ? after.path : afterPath(after.path) }),
    }),
    limit,
    ({ path, id }: ScannedFile) => [path, id],
  );
  return { items: await metadataOf(ctx, "fs/list", items, { trashed }), nextCursor };
}
