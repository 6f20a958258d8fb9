import { AppError } from "../../platform/errors.ts";
import { releasing } from "../content/release-buffers.ts";
import type { FileContext, FileRef } from "../deps.ts";
import { openVersion, streamContent } from "../read/open-content.ts";
import { summarizeHead } from "../write/errors.ts";
import { unchanged, type Written, writeNewVersion } from "../write/new-version.ts";
import { type Preconditions, requirePreconditions } from "../write/preconditions.ts";
import { withoutRevert } from "../write/write-file.ts";

/**
 * Restore an older version: write its bytes as a new head, encrypted with a new key. If the head already has these bytes, nothing
 * changes.
 * @throws AppError RULE_VIOLATION when the version is the head; NOT_FOUND; PRECONDITION_FAILED; VERSION_LIMIT; WRITE_CONFLICT;
 * TOO_LARGE (quota)
 */
export async function restoreVersion(
  ctx: FileContext,
  input: Preconditions & { ref: FileRef; version: number },
): Promise<Written> {
  const { version } = input;
  const { head, row, details } = await openVersion(ctx, "fs/write", input.ref, version);
  if (row === head.file) {
    const message = `Version ${version} is already the file's current version.`;
    const broken = [{ path: "version", rule: "version-superseded", message }];
    throw new AppError("RULE_VIOLATION", message, { details: broken, extra: summarizeHead(head) });
  }
  requirePreconditions(head, input);
  if (details.contentHash === head.details.contentHash) return unchanged(ctx, head);
  return await writeNewVersion(ctx, head, {
    source: releasing(streamContent(ctx, { fileId: head.file.id, key: head.key, row })),
    declaredSize: row.size,
    mimeType: details.mimeType,
    metadata: { ...withoutRevert(head.details.metadata), revertedTo: version },
    kind: "version.restored",
    differs: true,
  });
}
