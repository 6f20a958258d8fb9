import { AppError } from "../../platform/errors.ts";
import type { FileContext } from "../deps.ts";
import type { FileMetadata } from "../records/file-metadata.ts";
import { createFile } from "./create-file.ts";
import { writeFile } from "./write-file.ts";

export type PutInput = {
  path: string;
  /** The media type of a new file; an existing file keeps its type. */
  mimeType: string;
  content: Uint8Array;
};

/**
 * Write a file at a path: a new version if there is a file, otherwise a new file.
 * @throws AppError what writeFile throws, or createFile where there is no file
 */
export async function putFile(ctx: FileContext, { path, mimeType, content }: PutInput): Promise<FileMetadata> {
  const declaredSize = content.byteLength;
  const write = async () => (await writeFile(ctx, { ref: { path }, content: once(content), declaredSize })).file;
  try {
    return await write();
  } catch (error) {
    if (!isCode(error, "NOT_FOUND")) throw error;
  }
  try {
    return await createFile(ctx, { path, mimeType, content: once(content), declaredSize });
  } catch (error) {
    // Another caller created it meanwhile, so write a new version.
    if (!isCode(error, "CONFLICT")) throw error;
  }
  return await write();
}

function isCode(error: unknown, code: AppError["code"]): boolean {
  return error instanceof AppError && error.code === code;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}
