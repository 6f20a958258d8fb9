import { AppError } from "../../../platform/errors.ts";
import type { FileEvent } from "../../audit/event.ts";
import type { BatchItem, BatchResult, FileContext } from "../../deps.ts";
import { changeNamespace } from "../../records/namespace-lock.ts";
import { BatchFiles } from "./batch-files.ts";

export const maxBatch = 1_000;
/** Items per transaction: few commits, and other writers can run in between. */
const itemsPerTransaction = 50;

/** The result of one item: the file's path afterwards, and the audit event if anything changed. */
export type ItemResult = { path: string; event: FileEvent | undefined };

export type BatchWork<Item> = {
  /** Paths to which an item may move its file. */
  destinations?: (item: Item) => string[];
  /** Process the item in memory, in `found`. It may throw AppError only before its first change. */
  item: (item: Item, found: BatchFiles) => Promise<ItemResult>;
};

/**
 * Run a batch item by item, in order. A refused item reports its error and changes nothing; the others continue. Each change commits
 * together with its audit event.
 * @throws AppError INVALID_INPUT for an empty or too large batch
 */
export async function runBatch<Item extends { id: string }>(
  ctx: FileContext,
  items: readonly Item[],
  work: BatchWork<Item>,
): Promise<BatchResult> {
  if (items.length < 1 || items.length > maxBatch) {
    const message = `A batch must have 1 to ${maxBatch} items.`;
    throw new AppError("INVALID_INPUT", message, { details: [{ path: "items", rule: "range", message }] });
  }
  const results: BatchItem[] = [];
  for (let at = 0; at < items.length; at += itemsPerTransaction) {
    ctx.signal?.throwIfAborted();
    if (at > 0) await ctx.access.confirm();
    const some = items.slice(at, at + itemsPerTransaction);
    results.push(...(await runItems(ctx, some, work)));
  }
  const succeeded = results.filter(({ ok }) => ok).length;
  return { results, succeeded, failed: results.length - succeeded };
}

function runItems<Item extends { id: string }>(
  ctx: FileContext,
  items: readonly Item[],
  work: BatchWork<Item>,
): Promise<BatchItem[]> {
  return changeNamespace(ctx.deps, ctx.access.grant.owner, async (tx) => {
    const results: BatchItem[] = [];
    const events: FileEvent[] = [];
    const ids = items.map(({ id }) => id);
    const destinations = items.flatMap((item) => work.destinations?.(item) ?? []);
    const found = await BatchFiles.read(tx, ctx, { ids, destinations });
    for (const item of items) {
      try {
        const { path, event } = await work.item(item, found);
        results.push({ id: item.id, ok: true, status: 200, path });
        if (event !== undefined) events.push(event);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        results.push({ id: item.id, ok: false, status: error.status, code: error.code, error: error.message });
      }
    }
    await found.write();
    if (events.length > 0) await ctx.deps.files.audit.record(tx, events);
    return results;
  });
}
