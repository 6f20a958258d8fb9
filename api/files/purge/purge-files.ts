import { and, eq, inArray, sql } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { notFound } from "../authority/not-found.ts";
import type { BatchItem, BatchResult, FileContext } from "../deps.ts";
import { fileColumns } from "../lookup.ts";
import { addUsage, changeNamespace } from "../namespace-lock.ts";
import { isId } from "../new-id.ts";
import { type FoundFile, isHidden, unixSeconds } from "../records.ts";
import { files, purgeReceipts } from "../tables.ts";
import { eventBy } from "../write/attempt.ts";
import { carryOver } from "./carry-over.ts";
import { finishPurges } from "./finish-purges.ts";

export type PurgedItem = BatchItem & {
  /** The service's signed word (compact JWS) that the file is purged. */
  receipt?: string;
};

type Purged = { id: string; path: string; receipt: string };

/**
 * Purge files, live or trashed, for good: rows and wrapped keys go in one transaction, which also gives their key groups new
 * secrets; the old secrets and all blobs are destroyed before this answers. Ids that the caller may not see answer 404.
 */
export async function purgeFiles(
  ctx: FileContext,
  { ids }: { ids: readonly string[] },
): Promise<BatchResult<PurgedItem>> {
  ctx.access.requireAbility("fs/delete");
  const { deps } = ctx;
  const purged = await changeNamespace(deps, ctx.access.grant.owner, (tx) => purgeRows(ctx, tx, ids));
  if (purged.size > 0) {
    await deps.files.step?.("purge-committed");
    await finishPurges(deps, [...purged.keys()]);
  }
  return answer(ids, purged);
}

async function purgeRows(ctx: FileContext, tx: Transaction, ids: readonly string[]): Promise<Map<string, Purged>> {
  const { deps, access } = ctx;
  await deps.files.step?.("purge-locked");
  const owned = and(eq(files.namespace, access.grant.owner), inArray(files.id, ids.filter(isId)));
  const found = await tx.select(fileColumns).from(files).where(owned);
  const gone = found.filter((file) => access.canSee("fs/delete", { path: file.path, hidden: isHidden(file) }));
  if (gone.length === 0) return new Map();
  const contents = await deleteRows(tx, gone);
  for (const group of [...new Set(gone.map(({ keyGroup }) => keyGroup))].sort()) {
    const { keys } = deps.files;
    await keys.rotate(tx, group, (rotation) => carryOver(keys, tx, rotation));
  }
  const receipts = await keepReceipts(ctx, tx, gone, contents);
  await addUsage(tx, access.grant.owner, {
    bytes: -contents.reduce((sum, { size }) => sum + size, 0),
    files: -gone.length,
    versions: -contents.length,
  });
  const events = gone.map(({ id, version }) => ({ ...eventBy(ctx), kind: "purged" as const, fileId: id, version }));
  await deps.files.audit.record(tx, events);
  await deps.files.step?.("purge-changed");
  return receipts;
}

type Content = { fileId: string; blob: string; size: number };

/** Every row and with it every wrapped key, in one statement. */
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

/** One item an id, in order; an id that occurs twice was purged by its first item. */
function answer(ids: readonly string[], purged: Map<string, Purged>): BatchResult<PurgedItem> {
  const left = new Map(purged);
  const results = ids.map((id): PurgedItem => {
    const done = left.get(id);
    left.delete(id);
    if (done !== undefined) return { ok: true, status: 200, ...done };
    const { status, code, message } = notFound();
    return { id, ok: false, status, code, error: message };
  });
  return { results, succeeded: purged.size, failed: ids.length - purged.size };
}
