import { eq } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { AppError } from "../../errors.ts";
import type { BatchResult, FileContext } from "../deps.ts";
import { parsePath } from "../paths.ts";
import { files } from "../tables.ts";
import { eventBy } from "../write/attempt.ts";
import { type BatchFiles, doEach, type ItemResult } from "./batch.ts";
import { requireFree, requireReachable } from "./destination.ts";

export type Move = {
  id: string;
  /** The whole new path, name included. */
  destinationPath: string;
  /** The counter that the caller knows; when the file has another one, the move is stale. */
  version?: number | undefined;
};

/**
 * Move or rename files, item by item in the given order. The counter goes up by one and no version is snapshotted, so the cap
 * never stands in the way; history and marks go along. A move to where the file is changes nothing.
 * Per item: NOT_FOUND, also for a destination that is out of scope or hidden from the caller; STALE_MOVE; CONFLICT; INVALID_INPUT.
 * @throws AppError FORBIDDEN, INVALID_INPUT for the whole batch
 */
export async function moveFiles(ctx: FileContext, { items }: { items: readonly Move[] }): Promise<BatchResult> {
  ctx.access.requireAbility("fs/write");
  return await doEach(ctx, items, (tx, item, found) => move(tx, ctx, item, found));
}

async function move(
  tx: Transaction,
  ctx: FileContext,
  { id, destinationPath, version }: Move,
  found: BatchFiles,
): Promise<ItemResult> {
  const path = parsePath(destinationPath, "destinationPath");
  const file = found.find("fs/write", id);
  const place = await requireReachable(tx, ctx, { path, hidden: file.hidden });
  if (version !== undefined && version !== file.version) {
    throw new AppError(
      "STALE_MOVE",
      `The file is at version ${file.version} now, not at ${version}; look at it again.`,
    );
  }
  if (path === file.path) return { path, event: undefined };
  await requireFree(tx, ctx, "fs/write", path);
  const change = { path, version: file.version + 1, updatedAt: ctx.deps.clock.now() };
  await tx.update(files).set(change).where(eq(files.id, id));
  found.keep({ ...file, ...place, ...change });
  return { path, event: { ...eventBy(ctx), kind: "moved", fileId: id, version: change.version } };
}
