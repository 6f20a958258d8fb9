import { and, desc, eq, isNotNull } from "drizzle-orm";
import type { Transaction } from "../../../platform/db/index.ts";
import { notFound, parsePath } from "../../../platform/ucan/index.ts";
import { eventBy } from "../../audit/event-by.ts";
import type { BatchResult, FileContext, FileRef } from "../../deps.ts";
import { type FileMetadata, type FoundFile, isHidden } from "../../records/file-metadata.ts";
import { describeFiles, findFile, unlock } from "../../records/find-file.ts";
import { fileColumns } from "../../records/lookup.ts";
import { changeNamespace } from "../../records/namespace-lock.ts";
import { files } from "../../records/tables.ts";
import { expectHead, type IfMatch, requirePreconditions } from "../../write/preconditions.ts";
import { requireFree } from "./destination.ts";
import { runBatch } from "./run-batch.ts";

type Ids = IfMatch & { ids: readonly string[] };

/**
 * Move files to the trash: nobody can read them or their history until they are restored. Their paths become free. Per item:
 * NOT_FOUND; PRECONDITION_FAILED when the head does not match `ifMatch`.
 * @throws AppError FORBIDDEN, INVALID_INPUT for the whole batch
 */
export async function trashFiles(ctx: FileContext, { ids, ifMatch }: Ids): Promise<BatchResult> {
  ctx.access.requireAbility("fs/delete");
  return await runBatch(ctx, itemsOf(ids), {
    item: async ({ id }, found) => {
      const now = ctx.deps.clock.now();
      const live = found.find("fs/delete", id);
      if (ifMatch !== undefined) requirePreconditions(await unlock(ctx.deps, live), { ifMatch });
      const file = { ...live, trashedAt: now, updatedAt: now };
      await found.change(file);
      return { path: file.path, event: eventOf(ctx, "trashed", file) };
    },
  });
}

/**
 * Restore files from the trash to the paths that they had, with their whole history and its numbers. Per item: NOT_FOUND unless
 * it is in the trash; PRECONDITION_FAILED; CONFLICT when another file has taken the path.
 * @throws AppError FORBIDDEN, INVALID_INPUT for the whole batch
 */
export async function restoreFiles(ctx: FileContext, { ids, ifMatch }: Ids): Promise<BatchResult> {
  ctx.access.requireAbility("fs/delete");
  return await runBatch(ctx, itemsOf(ids), {
    item: async ({ id }, found) => {
      const trashed = found.find("fs/delete", id, { trashed: true });
      if (ifMatch !== undefined) requirePreconditions(await unlock(ctx.deps, trashed), { ifMatch });
      found.requireFree("fs/delete", trashed.path);
      const file = { ...trashed, trashedAt: null, updatedAt: ctx.deps.clock.now() };
      await found.change(file);
      return { path: file.path, event: eventOf(ctx, "restored", file) };
    },
  });
}

/**
 * As trashFiles, for one file, by its id or path. @throws AppError the item's error; PRECONDITION_FAILED; WRITE_CONFLICT when
 * another head is committed meanwhile
 */
export async function trashFile(ctx: FileContext, ref: FileRef, conditions: IfMatch = {}): Promise<FileMetadata> {
  const requireExpected = await expectHead(ctx, "fs/delete", ref, conditions);
  return await changeOne(ctx, "trashed", async (tx) => {
    const file = await findFile(ctx, "fs/delete", ref, { tx });
    requireExpected(file);
    return await trash(tx, ctx, file);
  });
}

/** As restoreFiles, for one file; a path means the file that was trashed there last. @throws AppError as trashFile */
export async function restoreFile(ctx: FileContext, ref: FileRef, conditions: IfMatch = {}): Promise<FileMetadata> {
  const requireExpected = await expectHead(ctx, "fs/delete", ref, conditions, { trashed: true });
  return await changeOne(ctx, "restored", async (tx) => {
    const id = "id" in ref ? ref.id : await lastTrashedAt(tx, ctx, parsePath(ref.path));
    const file = await findFile(ctx, "fs/delete", { id }, { tx, trashed: true });
    requireExpected(file);
    return restore(tx, ctx, file);
  });
}

async function trash(tx: Transaction, ctx: FileContext, file: FoundFile): Promise<FoundFile> {
  const now = ctx.deps.clock.now();
  await tx.update(files).set({ trashedAt: now, updatedAt: now }).where(eq(files.id, file.id));
  return { ...file, trashedAt: now, updatedAt: now };
}

async function restore(tx: Transaction, ctx: FileContext, file: FoundFile): Promise<FoundFile> {
  await requireFree(tx, ctx, "fs/delete", file.path);
  const now = ctx.deps.clock.now();
  await tx.update(files).set({ trashedAt: null, updatedAt: now }).where(eq(files.id, file.id));
  return { ...file, trashedAt: null, updatedAt: now };
}

async function lastTrashedAt(tx: Transaction, ctx: FileContext, path: string): Promise<string> {
  const rows = await tx
    .select(fileColumns)
    .from(files)
    .where(and(eq(files.namespace, ctx.access.grant.owner), eq(files.path, path), isNotNull(files.trashedAt)))
    .orderBy(desc(files.trashedAt), desc(files.id));
  const last = rows.find((row) => ctx.access.canSee("fs/delete", { path, hidden: isHidden(row) }));
  if (last === undefined) throw notFound();
  return last.id;
}

async function changeOne(
  ctx: FileContext,
  kind: "trashed" | "restored",
  change: (tx: Transaction) => Promise<FoundFile>,
): Promise<FileMetadata> {
  ctx.access.requireAbility("fs/delete");
  const changed = await changeNamespace(ctx.deps, ctx.access.grant.owner, async (tx) => {
    const file = await change(tx);
    await ctx.deps.files.audit.record(tx, [eventOf(ctx, kind, file)]);
    return file;
  });
  const [described] = await describeFiles(ctx.deps, [changed]);
  // The file was purged concurrently.
  if (described === undefined) throw notFound();
  return described;
}

function eventOf(ctx: FileContext, kind: "trashed" | "restored", file: FoundFile) {
  return { ...eventBy(ctx), kind, fileId: file.id, version: file.version };
}

function itemsOf(ids: readonly string[]): { id: string }[] {
  return ids.map((id) => ({ id }));
}
