import type { FileContext, FileRef } from "../deps.ts";
import { openFile } from "../find.ts";
import { type FileMetadata, toMetadata } from "../records.ts";

/** A live file's metadata. @throws AppError FORBIDDEN, NOT_FOUND */
export async function readFile(ctx: FileContext, { ref }: { ref: FileRef }): Promise<FileMetadata> {
  const { file, details } = await openFile(ctx, "fs/read", ref);
  return toMetadata(file, details, ctx.deps.config.publicUrl);
}
