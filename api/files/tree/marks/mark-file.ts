import { eq } from "drizzle-orm";
import { AppError } from "../../../platform/errors.ts";
import { notFound } from "../../../platform/ucan/index.ts";
import { eventBy } from "../../audit/event-by.ts";
import type { FileContext, FileRef } from "../../deps.ts";
import type { FileMetadata } from "../../records/file-metadata.ts";
import { describeFiles, findFile } from "../../records/find-file.ts";
import { changeNamespace } from "../../records/namespace-lock.ts";
import { files } from "../../records/tables.ts";
import { expectHead, type IfMatch } from "../../write/preconditions.ts";

type MarkInput = IfMatch & { ref: FileRef };

/**
 * Mark a file hidden, or remove the mark (dot names and hidden folders above still hide it). It also applies to history
 * immediately. The counter increases by one if the mark changes.
 * @throws AppError FORBIDDEN; NOT_FOUND; INVALID_INPUT unless a boolean is given; PRECONDITION_FAILED, WRITE_CONFLICT under
 * `ifMatch`
 */
export function setFileHidden(ctx: FileContext, input: MarkInput & { hidden: boolean }): Promise<FileMetadata> {
  return setMark(ctx, input, "hidden", input.hidden);
}

/**
 * Mark a file public, so that anyone may read its head without a token, even if it is hidden. Or remove the mark; a public folder
 * above keeps it public unless it is hidden. The counter increases by one if the mark changes.
 * @throws AppError as setFileHidden
 */
export function setFilePublic(ctx: FileContext, input: MarkInput & { public: boolean }): Promise<FileMetadata> {
  return setMark(ctx, input, "public", input.public);
}

async function setMark(ctx: FileContext, { ref, ...conditions }: MarkInput, mark: "hidden" | "public", value: boolean) {
  ctx.access.requireAbility("fs/write");
  requireBoolean(mark, value);
  const requireExpected = await expectHead(ctx, "fs/write", ref, conditions);
  const marked = await changeNamespace(ctx.deps, ctx.access.grant.owner, async (tx) => {
    const file = await findFile(ctx, "fs/write", ref, { tx });
    requireExpected(file);
    if (file[mark] === value) return file;
    const change = { [mark]: value, version: file.version + 1, updatedAt: ctx.deps.clock.now() };
    await tx.update(files).set(change).where(eq(files.id, file.id));
    const event = { ...eventBy(ctx), kind: `${mark}.changed` as const, fileId: file.id, version: change.version };
    await ctx.deps.files.audit.record(tx, [event]);
    return { ...file, ...change };
  });
  const [described] = await describeFiles(ctx.deps, [marked]);
  // The file was purged concurrently.
  if (described === undefined) throw notFound();
  return described;
}

/** Check the type at run time, because agents and scripts call this too. @throws AppError INVALID_INPUT */
export function requireBoolean(field: string, value: unknown): void {
  if (typeof value === "boolean") return;
  const message = `\`${field}\` must be true or false.`;
  throw new AppError("INVALID_INPUT", message, { details: [{ path: field, rule: "boolean", message }] });
}
