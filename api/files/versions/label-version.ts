import { and, eq } from "drizzle-orm";
import type { Transaction } from "../../platform/db/index.ts";
import { AppError, type RuleDetail } from "../../platform/errors.ts";
import { notFound } from "../../platform/ucan/index.ts";
import { eventBy } from "../audit/event-by.ts";
import type { FileContext, FileRef } from "../deps.ts";
import { type FoundFile, toVersionEntry, type VersionEntry } from "../records/file-metadata.ts";
import { detailsOf, findFile, unlock } from "../records/find-file.ts";
import { changeNamespace } from "../records/namespace-lock.ts";
import { type ContentRow, files, fileVersions } from "../records/tables.ts";
import { expectHead, type IfMatch } from "../write/preconditions.ts";

export type LabelInput = IfMatch & {
  ref: FileRef;
  version: number;
  /** Null removes the label; absent leaves it unchanged. */
  label?: string | null | undefined;
  /** Absent leaves it unchanged. */
  pinned?: boolean | undefined;
};

const longestLabel = 200;

/**
 * Label a retained version, or pin it so that pruning keeps it. The file's counter does not change.
 * @throws AppError INVALID_INPUT; FORBIDDEN; NOT_FOUND; PRECONDITION_FAILED, WRITE_CONFLICT under `ifMatch`
 */
export async function labelVersion(ctx: FileContext, input: LabelInput): Promise<VersionEntry> {
  requireLabel(input);
  const requireExpected = await expectHead(ctx, "fs/write", input.ref, input);
  return await changeNamespace(ctx.deps, ctx.access.grant.owner, async (tx) => {
    const file = await findFile(ctx, "fs/write", input.ref, { tx });
    requireExpected(file);
    const row = await mark(tx, file, input);
    if (row === undefined) throw notFound();
    const event = { ...eventBy(ctx), kind: "label" as const, fileId: file.id, version: input.version };
    await ctx.deps.files.audit.record(tx, [event]);
    const { key } = await unlock(ctx.deps, file);
    return toVersionEntry(file, { ...row, version: input.version }, detailsOf(key, file.id, row));
  });
}

async function mark(tx: Transaction, file: FoundFile, input: LabelInput): Promise<ContentRow | undefined> {
  const { version, label, pinned } = input;
  const set = { ...(label === undefined ? {} : { label }), ...(pinned === undefined ? {} : { pinned }) };
  if (version === file.version) {
    const [head] = await tx.update(files).set(set).where(eq(files.id, file.id)).returning();
    return head;
  }
  const wanted = and(eq(fileVersions.fileId, file.id), eq(fileVersions.version, version));
  const [row] = await tx.update(fileVersions).set(set).where(wanted).returning();
  return row;
}

function requireLabel({ label, pinned }: LabelInput): void {
  const details: RuleDetail[] = [];
  if (label === undefined && pinned === undefined) {
    details.push({ path: "label", rule: "required", message: "Set `label`, `pinned`, or both." });
  }
  if (typeof label === "string" && (label.trim() === "" || [...label].length > longestLabel)) {
    details.push({ path: "label", rule: "range", message: `A label must have 1 to ${longestLabel} characters.` });
  }
  if (typeof label === "string" && (/\p{Cc}/u.test(label) || !label.isWellFormed())) {
    details.push({ path: "label", rule: "text", message: "A label must not contain control characters." });
  }
  if (details.length > 0) throw new AppError("INVALID_INPUT", "The label is not valid.", { details });
}
