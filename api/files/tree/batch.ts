import { and, eq, inArray } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { AppError } from "../../errors.ts";
import type { FileEvent } from "../audit/kinds.ts";
import type { Ability } from "../authority/grant.ts";
import { notFound } from "../authority/not-found.ts";
import type { BatchItem, BatchResult, FileContext } from "../deps.ts";
import { fileColumns } from "../find.ts";
import { changeNamespace } from "../namespace-lock.ts";
import { type FoundFile, isHidden } from "../records.ts";
import { files } from "../tables.ts";

export const maxBatch = 1_000;
/** So many items share a transaction: fewer commits, and others get their turn in between. */
const itemsPerTransaction = 50;

/** What one item does: the path that the file has afterwards, and the event of its change, if it changed anything. */
export type ItemResult = { path: string; event: FileEvent | undefined };

/** The files of a batch as its items so far have left them: read at once, since the namespace is locked. */
export class BatchFiles {
  readonly #ctx: FileContext;
  readonly #rows: Map<string, FoundFile>;

  private constructor(ctx: FileContext, rows: readonly FoundFile[]) {
    this.#ctx = ctx;
    this.#rows = new Map(rows.map((row) => [row.id, row]));
  }

  static async read(tx: Transaction, ctx: FileContext, ids: readonly string[]): Promise<BatchFiles> {
    const own = and(eq(files.namespace, ctx.access.grant.owner), inArray(files.id, [...ids]));
    return new BatchFiles(ctx, await tx.select(fileColumns).from(files).where(own));
  }

  /** As findFile. @throws AppError NOT_FOUND */
  find(ability: Ability, id: string, { trashed = false } = {}): FoundFile {
    const row = this.#rows.get(id);
    if (row === undefined || (row.trashedAt !== null) !== trashed) throw notFound();
    this.#ctx.access.requireSee(ability, { path: row.path, hidden: isHidden(row) });
    return row;
  }

  /** Keep what an item has changed, for the items after it. */
  keep(row: FoundFile): void {
    this.#rows.set(row.id, row);
  }
}

/**
 * Do each item of a batch in order. One that is refused says why and changes nothing; the others go on. Each change commits
 * together with its event.
 * @param work throws AppError before its first change, or not at all
 * @throws AppError INVALID_INPUT for an empty or too large batch
 */
export async function doEach<Item extends { id: string }>(
  ctx: FileContext,
  items: readonly Item[],
  work: (tx: Transaction, item: Item, found: BatchFiles) => Promise<ItemResult>,
): Promise<BatchResult> {
  if (items.length < 1 || items.length > maxBatch) {
    const message = `A batch has from 1 to ${maxBatch} items.`;
    throw new AppError("INVALID_INPUT", message, { details: [{ path: "items", rule: "range", message }] });
  }
  const results: BatchItem[] = [];
  for (let at = 0; at < items.length; at += itemsPerTransaction) {
    ctx.signal?.throwIfAborted();
    const some = items.slice(at, at + itemsPerTransaction);
    results.push(...(await doSome(ctx, some, work)));
  }
  const succeeded = results.filter(({ ok }) => ok).length;
  return { results, succeeded, failed: results.length - succeeded };
}

function doSome<Item extends { id: string }>(
  ctx: FileContext,
  items: readonly Item[],
  work: (tx: Transaction, item: Item, found: BatchFiles) => Promise<ItemResult>,
): Promise<BatchItem[]> {
  return changeNamespace(ctx.deps, ctx.access.grant.owner, async (tx) => {
    const results: BatchItem[] = [];
    const events: FileEvent[] = [];
    const ids = items.map(({ id }) => id);
    const found = await BatchFiles.read(tx, ctx, ids);
    for (const item of items) {
      try {
        const { path, event } = await work(tx, item, found);
        results.push({ id: item.id, ok: true, status: 200, path });
        if (event !== undefined) events.push(event);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        results.push({ id: item.id, ok: false, status: error.status, code: error.code, error: error.message });
      }
    }
    if (events.length > 0) await ctx.deps.files.audit.record(tx, events);
    return results;
  });
}
