import { and, desc, eq, isNotNull } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { notFound } from "../authority/not-found.ts";
import type { BatchResult, FileContext, FileRef } from "../deps.ts";
import { describeFiles, findFile, openFile } from "../find.ts";
import { fileColumns } from "../lookup.ts";
import { changeNamespace } from "../namespace-lock.ts";
import { parsePath } from "../paths.ts";
import { type FileMetadata, type FoundFile, isHidden } from "../records.ts";
import { files } from "../tables.ts";
import { eventBy } from "../write/attempt.ts";
import { type Preconditions, requirePreconditions, writeConflict } from "../write/refusals.ts";
import { doEach } from "./batch.ts";
import { requireFree } from "./destination.ts";

type Ids = { ids: readonly string[] };

/**
 * Put files into the trash: they and their whole history are there for nobody until they are restored. Their paths are free.
 * Per item: NOT_FOUND. @throws AppError FORBIDDEN, INVALID_INPUT for the whole batch
 */
export async function trashFiles(ctx: FileContext, { ids }: Ids): Promise<BatchResult> {
  ctx.access.requireAbility("fs/delete");
  return await doEach(ctx, itemsOf(ids), {
    item: async ({ id }, found) => {
      const now = ctx.deps.clock.now();
      const file = { ...found.find("fs/delete", id), trashedAt: now, updatedAt: now };
      await found.change(file);
      return { path: file.path, event: eventOf(ctx, "trashed", file) };
    },
  });
}

/**
 * Take files out of the trash, with their whole history, numbers included, to the paths that they had.
 * Per item: NOT_FOUND unless it is in the trash; CONFLICT when another file has the path by now.
 * @throws AppError FORBIDDEN, INVALID_INPUT for the whole batch
 */
export async function restoreFiles(ctx: FileContext, { ids }: Ids): Promise<BatchResult> {
  ctx.access.requireAbility("fs/delete");
  return await doEach(ctx, itemsOf(ids), {
    item: async ({ id }, found) => {
      const trashed = found.find("fs/delete", id, { trashed: true });
      found.requireFree("fs/delete", trashed.path);
      const file = { ...trashed, trashedAt: null, updatedAt: ctx.deps.clock.now() };
      await found.change(file);
      return { path: file.path, event: eventOf(ctx, "restored", file) };
    },
  });
}

/**
 * As trashFiles, for one file, by its id or path, and only with the head that `ifMatch` names.
 * @throws AppError what the item would say; PRECONDITION_FAILED; WRITE_CONFLICT when another head lands meanwhile
 */
export async function trashFile(
  ctx: FileContext,
  ref: FileRef,
  conditions: Pick<Preconditions, "ifMatch"> = {},
): Promise<FileMetadata> {
  const known = conditions.ifMatch === undefined ? undefined : await openFile(ctx, "fs/delete", ref);
  if (known !== undefined) requirePreconditions(known, conditions);
  return await changeOne(ctx, "trashed", async (tx) => {
    const file = await findFile(ctx, "fs/delete", ref, { tx });
    if (known !== undefined && (file.id !== known.file.id || file.blob !== known.file.blob)) throw writeConflict(known);
    return await trash(tx, ctx, file);
  });
}

/** As restoreFiles, for one file; by path: the one that was trashed last there. @throws AppError what the item would say */
export function restoreFile(ctx: FileContext, ref: FileRef): Promise<FileMetadata> {
  return changeOne(ctx, "restored", async (tx) => {
    const id = "id" in ref ? ref.id : await lastTrashedAt(tx, ctx, parsePath(ref.path));
    return restore(tx, ctx, await findFile(ctx, "fs/delete", { id }, { tx, trashed: true }));
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
  // Purged in this moment.
  if (described === undefined) throw notFound();
  return described;
}

function eventOf(ctx: FileContext, kind: "trashed" | "restored", file: FoundFile) {
  return { ...eventBy(ctx), kind, fileId: file.id, version: file.version };
}

function itemsOf(ids: readonly string[]): { id: string }[] {
  return ids.map((id) => ({ id }));
}
