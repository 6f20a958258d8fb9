import { AppError } from "../../../platform/errors.ts";
import { brokenPathRules, parsePath } from "../../../platform/ucan/index.ts";
import { eventBy } from "../../audit/event-by.ts";
import type { BatchResult, FileContext } from "../../deps.ts";
import { unlock } from "../../records/find-file.ts";
import { type IfMatch, requirePreconditions } from "../../write/preconditions.ts";
import type { BatchFiles } from "./batch-files.ts";
import { type ItemResult, runBatch } from "./run-batch.ts";

export type Move = {
  id: string;
  /** The whole new path, including the name. */
  destinationPath: string;
  /** The counter that the caller knows; if the file has another one, the move is refused as stale. */
  version?: number | undefined;
};

/**
 * Move or rename files, item by item in the given order. The counter increases by one but no version is added, so the version cap
 * does not apply. History and marks move with the file. A move to the current path changes nothing. Per item: NOT_FOUND, also for
 * a destination that is out of scope or hidden from the caller; PRECONDITION_FAILED when the head does not match `ifMatch`;
 * STALE_MOVE; CONFLICT; INVALID_INPUT.
 * @throws AppError FORBIDDEN, INVALID_INPUT for the whole batch
 */
export async function moveFiles(
  ctx: FileContext,
  { items, ifMatch }: IfMatch & { items: readonly Move[] },
): Promise<BatchResult> {
  ctx.access.requireAbility("fs/write");
  return await runBatch(ctx, items, {
    destinations: ({ destinationPath }) => pathsIn(destinationPath),
    item: (item, found) => move(ctx, { ...item, ifMatch }, found),
  });
}

/** Returns none for a malformed path, which the item's error reports. */
function pathsIn(text: string): string[] {
  const path = text.normalize("NFC");
  return brokenPathRules(path).length === 0 ? [path] : [];
}

async function move(ctx: FileContext, item: Move & IfMatch, found: BatchFiles): Promise<ItemResult> {
  const { id, destinationPath, version, ifMatch } = item;
  const path = parsePath(destinationPath, "destinationPath");
  const file = found.find("fs/write", id);
  const place = found.requireReachable("fs/write", { path, hidden: file.hidden });
  if (ifMatch !== undefined) requirePreconditions(await unlock(ctx.deps, file), { ifMatch });
  if (version !== undefined && version !== file.version) {
    throw new AppError(
      "STALE_MOVE",
      `The file is at version ${file.version} now, not at ${version}; look at it again.`,
    );
  }
  if (path === file.path) return { path, event: undefined };
  found.requireFree("fs/write", path);
  const next = file.version + 1;
  await found.change({ ...file, ...place, version: next, updatedAt: ctx.deps.clock.now() });
  return { path, event: { ...eventBy(ctx), kind: "moved", fileId: id, version: next } };
}
