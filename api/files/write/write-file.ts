import { cleanMimeType } from "../../platform/values/mime-type.ts";
import type { FileContext, FileRef } from "../deps.ts";
import { openFile } from "../records/find-file.ts";
import { type Written, writeNewVersion } from "./new-version.ts";
import { type Preconditions, requirePreconditions } from "./preconditions.ts";

export type WriteInput = Preconditions & {
  ref: FileRef;
  /** Absent: the head's type stays. */
  mimeType?: string | undefined;
  content: AsyncIterable<Uint8Array>;
  declaredSize?: number | undefined;
};

/**
 * Write a new version of a file. Writing the head's bytes again changes nothing.
 * @throws AppError NOT_FOUND; PRECONDITION_FAILED; VERSION_LIMIT; WRITE_CONFLICT; TOO_LARGE. All except NOT_FOUND contain the
 * head
 */
export async function writeFile(ctx: FileContext, input: WriteInput): Promise<Written> {
  const head = await openFile(ctx, "fs/write", input.ref);
  requirePreconditions(head, input);
  const mimeType = input.mimeType === undefined ? head.details.mimeType : cleanMimeType(input.mimeType);
  const metadata = withoutRevert(head.details.metadata);
  const { content: source, declaredSize } = input;
  return await writeNewVersion(ctx, head, { source, declaredSize, mimeType, metadata, kind: "content.written" });
}

/** Remove `revertedTo`, which describes only a restored head, not the versions after it. */
export function withoutRevert({ revertedTo: _, ...metadata }: Record<string, unknown>): Record<string, unknown> {
  return metadata;
}
