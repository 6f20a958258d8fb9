import { notFound } from "../../platform/ucan/index.ts";
import type { FileContext, FileRef } from "../deps.ts";
import type { FileMetadata } from "../records/file-metadata.ts";
import { describeFiles, findFile } from "../records/find-file.ts";

/** Read a live file's metadata; for a damaged file, the known part. @throws AppError FORBIDDEN, NOT_FOUND */
export async function readFile(ctx: FileContext, { ref }: { ref: FileRef }): Promise<FileMetadata> {
  const [described] = await describeFiles(ctx.deps, [await findFile(ctx, "fs/read", ref)]);
  if (described === undefined) throw notFound();
  return described;
}
