import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "../../../platform/db/index.ts";
import { AppError } from "../../../platform/errors.ts";
import { ancestorsOf, isDotPath, parseFolder } from "../../../platform/ucan/index.ts";
import { eventBy } from "../../audit/event-by.ts";
import type { FileContext } from "../../deps.ts";
import { changeNamespace } from "../../records/namespace-lock.ts";
import { folderFlags } from "../../records/tables.ts";
import { requireListedOwner } from "../../write/write-limit.ts";
import { marksAmong } from "../moving/destination.ts";
import { requireBoolean } from "./mark-file.ts";

/** A folder's marks. `hiddenEffective` is also true for a dot name or a hidden folder above. */
export type FolderMarks = { path: string; hidden: boolean; hiddenEffective: boolean; public: boolean };

/** Limits the marked folders of a namespace, because lists skip hidden folders one by one. */
const maxMarkedFolders = 10_000;

/**
 * Hide everything below a folder, or remove the mark. It also applies to history immediately, and does not change the files'
 * counters. The folder may be empty.
 * @throws AppError FORBIDDEN; NOT_FOUND out of scope, or when it is hidden and not revealed; INVALID_INPUT unless a boolean is
 * given; RULE_VIOLATION when too many folders have marks
 */
export function setFolderHidden(ctx: FileContext, input: { path: string; hidden: boolean }): Promise<FolderMarks> {
  return setMark(ctx, input.path, "hidden", input.hidden);
}

/** Make everything below a folder public except hidden files, or remove the mark. @throws AppError as setFolderHidden */
export function setFolderPublic(ctx: FileContext, input: { path: string; public: boolean }): Promise<FolderMarks> {
  return setMark(ctx, input.path, "public", input.public);
}

async function setMark(ctx: FileContext, text: string, mark: "hidden" | "public", value: boolean) {
  ctx.access.requireAbility("fs/write");
  requireBoolean(mark, value);
  if (value) requireListedOwner(ctx);
  const path = parseFolder(text);
  return await changeNamespace(ctx.deps, ctx.access.grant.owner, async (tx) => {
    const own = await marksAmong(tx, ctx.access.grant.owner, [path]);
    const above = await marksAmong(tx, ctx.access.grant.owner, ancestorsOf(path));
    const hiddenBeside = above.hidden || isDotPath(path);
    ctx.access.requireSee("fs/write", { path, hidden: hiddenBeside || own.hidden });
    const marks = { ...own, [mark]: value };
    if (own[mark] !== value) {
      if (!own.hidden && !own.public) await refuseTooMany(tx, ctx.access.grant.owner);
      await saveMarks(tx, ctx.access.grant.owner, { path, ...marks });
      await ctx.deps.files.audit.record(tx, [{ ...eventBy(ctx), kind: `${mark}.changed` }]);
    }
    return { path, ...marks, hiddenEffective: hiddenBeside || marks.hidden };
  });
}

async function saveMarks(
  tx: Transaction,
  namespace: string,
  { path, ...marks }: { path: string; hidden: boolean; public: boolean },
): Promise<void> {
  const row = and(eq(folderFlags.namespace, namespace), eq(folderFlags.path, path));
  if (!marks.hidden && !marks.public) {
    await tx.delete(folderFlags).where(row);
    return;
  }
  await tx
    .insert(folderFlags)
    .values({ namespace, path, ...marks })
    .onConflictDoUpdate({ target: [folderFlags.namespace, folderFlags.path], set: marks });
}

async function refuseTooMany(tx: Transaction, namespace: string): Promise<void> {
  const counted = await tx.execute<{ count: number }>(sql`
    select count(*)::int as count from folder_flags where namespace = ${namespace}`);
  if ((counted.rows[0]?.count ?? 0) < maxMarkedFolders) return;
  const message = `At most ${maxMarkedFolders} folders of a namespace can be marked hidden or public; mark folders above them.`;
  throw new AppError("RULE_VIOLATION", message, { details: [{ path: "path", rule: "marked-folders", message }] });
}
