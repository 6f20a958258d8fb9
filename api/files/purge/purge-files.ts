import { and, eq, inArray, sql } from "drizzle-orm";
import type { Transaction } from "../../platform/db/index.ts";
import { AppError } from "../../platform/errors.ts";
import { isId } from "../../platform/new-id.ts";
import { notFound } from "../../platform/ucan/index.ts";
import { eventBy } from "../audit/event-by.ts";
import type { BatchItem, BatchResult, FileContext } from "../deps.ts";
import { onlyItem } from "../records/batch-result.ts";
import { type FoundFile, isHidden, unixSeconds } from "../records/file-metadata.ts";
import { unlock } from "../records/find-file.ts";
import { fileColumns } from "../records/lookup.ts";
import { addUsage, changeNamespace } from "../records/namespace-lock.ts";
import { files, purgeReceipts } from "../records/tables.ts";
import { expectHead, type IfMatch, requirePreconditions } from "../write/preconditions.ts";
import { finishPurges } from "./finish-purges.ts";
import { rewrapGroup } from "./rewrap-group.ts";

export type PurgedItem = BatchItem & {
  /** Compact JWS by which the service states that the file is purged. */
  receipt?: string;
  /** With status 202: the file is inaccessible, but its secret or its bytes must still be destroyed. */
  pending?: true;
};

type Purged = { id: string; path: string; receipt: string };
type Outcome = { purged: Map<string, Purged>; refused: Map<string, AppError> };
type Ids = IfMatch & { ids: readonly string[] };

/**
 * Purge files permanently, live or trashed. One transaction deletes rows and wrapped keys and gives the key groups new secrets.
 * Then the old secrets and all blobs are destroyed. If that fails, the items are marked `pending` and the service retries later.
 * Per item: NOT_FOUND for ids that the caller may not see; PRECONDITION_FAILED; CONFLICT for a file with a lost key, because its
 * group cannot get a new secret.
 */
export async function purgeFiles(ctx: FileContext, { ids, ifMatch }: Ids): Promise<BatchResult<PurgedItem>> {
  ctx.access.requireAbility("fs/delete");
  const { deps } = ctx;
  const outcome = await changeNamespace(deps, ctx.access.grant.owner, (tx) => purgeRows(ctx, tx, { ids, ifMatch }));
  if (outcome.purged.size === 0) return resultOf(ids, outcome, true);
  await deps.files.step?.("purge-committed");
  return resultOf(ids, outcome, await finish(ctx, [...outcome.purged.keys()]));
}

/** As purgeFiles, for one file. @throws AppError the item's error */
export async function purgeFile(
  ctx: FileContext,
  { id }: { id: string },
  conditions: IfMatch = {},
): Promise<{ id: string; receipt: string; pending?: true }> {
  ctx.access.requireAbility("fs/delete");
  // Also checked before the purge, so that the error can report the head.
  await expectHead(ctx, "fs/delete", { id }, conditions, { trashed: "either" });
  const { receipt = "", pending } = onlyItem(await purgeFiles(ctx, { ids: [id], ...conditions }));
  return { id, receipt, ...(pending === undefined ? {} : { pending }) };
}

/** Destroy the rest after the commit. The upkeep, the next start or fsck repeats what fails here. */
async function finish({ deps, requestId }: FileContext, fileIds: string[]): Promise<boolean> {
  try {
    await finishPurges(deps, fileIds);
    return true;
  } catch (error) {
    deps.log.error(
      { err: error, fileIds, requestId },
      "a purge is committed, but some of its data could not be destroyed yet",
    );
    return false;
  }
}

async function purgeRows(ctx: FileContext, tx: Transaction, { ids, ifMatch }: Ids): Promise<Outcome> {
  const { deps, access } = ctx;
  await deps.files.step?.("purge-locked");
  const owned = and(eq(files.namespace, access.grant.owner), inArray(files.id, ids.filter(isId)));
  const found = await tx.select(fileColumns).from(files).where(owned);
  const seen = found.filter((file) => access.canSee("fs/delete", { path: file.path, hidden: isHidden(file) }));
  const refused = await checkIfMatch(ctx, seen, { ifMatch });
  for (const { id, keyGroup } of seen) {
    if (!refused.has(id) && (await deps.files.keys.isLost(tx, keyGroup))) refused.set(id, keyLost(id));
  }
  const gone = seen.filter(({ id }) => !refused.has(id));
  if (gone.length === 0) return { purged: new Map(), refused };
  const contents = await deleteRows(tx, gone);
  for (const group of [...new Set(gone.map(({ keyGroup }) => keyGroup))].sort()) {
    const { keys } = deps.files;
    await keys.rotate(tx, group, (rotation) => rewrapGroup(keys, tx, rotation));
  }
  const purged = await keepReceipts(ctx, tx, gone, contents);
  await addUsage(tx, access.grant.owner, {
    bytes: -contents.reduce((sum, { size }) => sum + size, 0),
    files: -gone.length,
    versions: -contents.length,
  });
  const events = gone.map(({ id, version }) => ({ ...eventBy(ctx), kind: "purged" as const, fileId: id, version }));
  await deps.files.audit.record(tx, events);
  await deps.files.step?.("purge-changed");
  return { purged, refused };
}

/** With a new secret for the group, restoring the old one from a backup would no longer help the group's other files. */
function keyLost(id: string): AppError {
  const message =
    `The key of file ${id} is lost, so it can neither be read nor purged. Once its secret is restored from a backup, ` +
    "both work again. The operator's fsck shows what is missing.";
  return new AppError("CONFLICT", message, { details: [{ rule: "file-key-lost", message }] });
}

/** Collect the errors of files whose heads do not match `ifMatch`. */
async function checkIfMatch(ctx: FileContext, seen: readonly FoundFile[], { ifMatch }: IfMatch) {
  const refused = new Map<string, AppError>();
  for (const file of ifMatch === undefined ? [] : seen) {
    try {
      requirePreconditions(await unlock(ctx.deps, file), { ifMatch });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.set(file.id, error);
    }
  }
  return refused;
}

type Content = { fileId: string; blob: string; size: number };

/** Delete every row and with it every wrapped key, in one statement. */
async function deleteRows(tx: Transaction, gone: readonly FoundFile[]): Promise<Content[]> {
  const ids = JSON.stringify(gone.map(({ id }) => id));
  const given = sql`any(array(select jsonb_array_elements_text(${ids}::jsonb)))`;
  const { rows } = await tx.execute<{ file_id: string; blob: string; size: string | number }>(sql`
    with history as (delete from file_versions where file_id = ${given} returning file_id, blob, size),
      heads as (delete from files where id = ${given} returning id as file_id, blob, size)
    select * from heads union all select * from history`);
  return rows.map(({ file_id, blob, size }) => ({ fileId: file_id, blob, size: Number(size) }));
}

async function keepReceipts(
  ctx: FileContext,
  tx: Transaction,
  gone: readonly FoundFile[],
  contents: readonly Content[],
): Promise<Map<string, Purged>> {
  const { identity } = ctx.deps.files;
  const purgedAt = ctx.deps.clock.now();
  const byFile = Map.groupBy(contents, ({ fileId }) => fileId);
  const rows = [];
  for (const { id, namespace } of gone) {
    const blobs = (byFile.get(id) ?? []).map(({ blob }) => blob);
    const { actor, invoker, tokenCid } = eventBy(ctx);
    const who = { sub: id, namespace, actor, invoker, tokenCid, versions: blobs.length };
    const claims = { iss: identity.did, iat: unixSeconds(purgedAt), ...who };
    rows.push({
      fileId: id,
      namespace,
      purgedAt,
      blobs,
      receipt: await identity.signJws(claims, { typ: "purge-receipt+jwt" }),
    });
  }
  for (let from = 0; from < rows.length; from += 500)
    await tx.insert(purgeReceipts).values(rows.slice(from, from + 500));
  const paths = new Map(gone.map(({ id, path }) => [id, path]));
  return new Map(rows.map(({ fileId: id, receipt }) => [id, { id, path: paths.get(id) ?? "", receipt }]));
}

/** Build one item per id, in order. A repeated id was purged by its first item. */
function resultOf(ids: readonly string[], { purged, refused }: Outcome, finished: boolean): BatchResult<PurgedItem> {
  const state = finished ? { status: 200 } : { status: 202, pending: true as const };
  const left = new Map(purged);
  const results = ids.map((id): PurgedItem => {
    const done = left.get(id);
    left.delete(id);
    if (done !== undefined) return { ok: true, ...state, ...done };
    const { status, code, message } = refused.get(id) ?? notFound();
    return { id, ok: false, status, code, error: message };
  });
  return { results, succeeded: purged.size, failed: ids.length - purged.size };
}
