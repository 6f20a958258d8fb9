import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Transaction } from "../../platform/db/index.ts";
import { AppError } from "../../platform/errors.ts";
import { eventBy } from "../audit/event-by.ts";
import { deleteBlobsOrLog } from "../blobs/delete-blobs.ts";
import type { FileContext, FileRef } from "../deps.ts";
import { type FoundFile, versionCap, versionsRemaining } from "../records/file-metadata.ts";
import { findFile } from "../records/find-file.ts";
import { addUsage, changeNamespace } from "../records/namespace-lock.ts";
import { files, fileVersions } from "../records/tables.ts";
import { expectHead, type IfMatch } from "../write/preconditions.ts";

export type Pruned = {
  fileId: string;
  /** Numbers of the removed versions, newest first. */
  pruned: number[];
  /** Retained versions, the head included. */
  count: number;
  versionsRemaining: number;
};

type Victim = { version: number; blob: string; size: number };

/**
 * Remove all unpinned versions except the newest `keep` (including the head). Only the owner may call it.
 * @throws AppError INVALID_INPUT; FORBIDDEN; NOT_FOUND; PRECONDITION_FAILED, WRITE_CONFLICT under `ifMatch`
 */
export async function pruneVersions(
  ctx: FileContext,
  { ref, keep, ...conditions }: IfMatch & { ref: FileRef; keep: number },
): Promise<Pruned> {
  ctx.access.requireOwner("fs/write");
  requireKeep(keep);
  const requireExpected = await expectHead(ctx, "fs/write", ref, conditions);
  const { deps } = ctx;
  const { answer, blobs } = await changeNamespace(deps, ctx.access.grant.owner, async (tx) => {
    const file = await findFile(ctx, "fs/write", ref, { tx });
    requireExpected(file);
    const gone = await deleteOld(tx, file, keep);
    if (gone.length > 0) await settle(ctx, tx, file, gone);
    const retained = file.retained - gone.length;
    const pruned = gone.map(({ version }) => version);
    const answer = { fileId: file.id, pruned, count: retained, versionsRemaining: versionsRemaining({ retained }) };
    return { answer, blobs: gone.map(({ blob }) => blob) };
  });
  if (blobs.length > 0) {
    await deps.files.step?.("prune-committed");
    await deleteBlobsOrLog(ctx, blobs);
    await deps.files.step?.("prune-blobs-deleted");
  }
  return answer;
}

async function deleteOld(tx: Transaction, file: FoundFile, keep: number): Promise<Victim[]> {
  const own = eq(fileVersions.fileId, file.id);
  const history = await tx
    .select({
      version: fileVersions.version,
      blob: fileVersions.blob,
      size: fileVersions.size,
      pinned: fileVersions.pinned,
    })
    .from(fileVersions)
    .where(own)
    .orderBy(desc(fileVersions.version));
  const gone = history.slice(keep - 1).filter(({ pinned }) => !pinned);
  const numbers = gone.map(({ version }) => version);
  if (gone.length > 0) await tx.delete(fileVersions).where(and(own, inArray(fileVersions.version, numbers)));
  return gone;
}

async function settle(ctx: FileContext, tx: Transaction, file: FoundFile, gone: readonly Victim[]): Promise<void> {
  const { files: parts } = ctx.deps;
  const retained = sql`${files.retained} - ${gone.length}`;
  await tx.update(files).set({ retained }).where(eq(files.id, file.id));
  const bytes = -gone.reduce((sum, { size }) => sum + size, 0);
  await addUsage(tx, file.namespace, { bytes, files: 0, versions: -gone.length });
  const event = { ...eventBy(ctx), kind: "pruned" as const, fileId: file.id, version: file.version };
  await parts.audit.record(tx, [event]);
  await parts.step?.("prune-changed");
}

function requireKeep(keep: number): void {
  if (Number.isInteger(keep) && keep >= 1 && keep <= versionCap) return;
  throw new AppError("INVALID_INPUT", "keep is not valid.", {
    details: [{ path: "keep", rule: "range", message: `keep must be a whole number from 1 to ${versionCap}.` }],
  });
}
