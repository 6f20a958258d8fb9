import { createHash } from "node:crypto";
import { notFound } from "../../platform/ucan/not-found.ts";
import type { FileEventKind } from "../audit/event.ts";
import type { FileContext } from "../deps.ts";
import { SecretGoneError } from "../keys/group-secrets.ts";
import type { Tagger } from "../keys/lookup-tags.ts";
import { type ContentDetails, type FileMetadata, isHidden, toMetadata, versionCap } from "../records/file-metadata.ts";
import { type OpenFile, openFile } from "../records/find-file.ts";
import { changeNamespace } from "../records/namespace-lock.ts";
import { UnknownOutcomeError } from "./commit/commit-batch.ts";
import type { ReplaceOrder, Verdict } from "./commit/commit-order.ts";
import { submitOrder } from "./commit/submit-order.ts";
import { overQuota, versionLimit, writeConflict } from "./errors.ts";
import { Attempt, eventBy } from "./stored-version.ts";
import { Room } from "./write-limit.ts";

export type NewHead = {
  source: AsyncIterable<Uint8Array>;
  declaredSize?: number | undefined;
  mimeType: string;
  metadata: Record<string, unknown>;
  kind: FileEventKind;
  /** True when the bytes are known not to be the head's. */
  differs?: boolean;
};

export type Written = { file: FileMetadata; changed: boolean };

/** How often a write follows a file that is moved, or whose keys are wrapped anew, beside it. */
const mostTries = 20;

/**
 * Give the file a new head, unless the bytes are those of the head it has: then nothing changes, also at the cap.
 * @param head the head that the caller knows; when another one lands meanwhile, this write is the loser
 * @throws AppError VERSION_LIMIT before a byte is stored; WRITE_CONFLICT; TOO_LARGE; NOT_FOUND when the file is gone meanwhile
 */
export async function replaceHead(ctx: FileContext, head: OpenFile, change: NewHead): Promise<Written> {
  await ctx.deps.files.step?.("write-begun");
  if (head.file.retained >= versionCap) return await refuseUnlessSame(ctx, head, change);
  const room = await Room.open(ctx, change.declaredSize);
  try {
    const written = await storeAndCommit(ctx, head, change, room);
    if (!written.changed) await room.release();
    return written;
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) await room.release();
    throw error;
  }
}

async function storeAndCommit(ctx: FileContext, head: OpenFile, change: NewHead, room: Room): Promise<Written> {
  const sealedVersion = head.file.version + 1;
  const { source, mimeType } = change;
  const attempt = await Attempt.store(ctx, { fileId: head.file.id, sealedVersion, source, room, mimeType });
  try {
    if (attempt.stored.contentHash === head.details.contentHash) {
      await attempt.discard();
      return unchanged(ctx, await lookAgainAtSame(ctx, head));
    }
    return await commit(ctx, head, attempt, change);
  } catch (error) {
    // Bytes that a row may name stay; the orphans' collection knows better later.
    if (!(error instanceof UnknownOutcomeError)) await attempt.discard();
    throw error;
  }
}

async function commit(ctx: FileContext, first: OpenFile, attempt: Attempt, change: NewHead): Promise<Written> {
  let head = first;
  for (let tries = 1; ; tries += 1) {
    ctx.signal?.throwIfAborted();
    // The body may have taken hours.
    await ctx.access.confirm();
    const { at, verdict } = await submit(ctx, head, attempt, change);
    if (verdict.outcome === "done") {
      const { version, retained, marks } = verdict;
      const file = { ...head.file, ...marks, version, retained, size: attempt.stored.size, updatedAt: at };
      return { file: toMetadata(file, attempt.details(change), ctx.deps.config.publicUrl), changed: true };
    }
    if (verdict.outcome === "quota") throw overQuota(quotaOf(ctx) ?? 0, verdict.used);
    head = await lookAgain(ctx, first);
    if (verdict.outcome === "hidden") throw notFound();
    if (verdict.outcome === "cap") return await refuseAtCap(ctx, head);
    const followed = (verdict.outcome === "moved" || verdict.outcome === "rotated") && tries < mostTries;
    if (!followed || head.file.blob !== first.file.blob) throw writeConflict(head);
  }
}

/** The head as it is after the body came, for a caller whose token and sight may have ended meanwhile. @throws AppError */
async function lookAgain(ctx: FileContext, { file }: OpenFile): Promise<OpenFile> {
  await ctx.access.confirm();
  return await openFile(ctx, "fs/write", { id: file.id });
}

/** As lookAgain, where nothing changes only if the head is still the one whose bytes came. @throws AppError WRITE_CONFLICT */
async function lookAgainAtSame(ctx: FileContext, head: OpenFile): Promise<OpenFile> {
  const now = await lookAgain(ctx, head);
  if (now.file.blob !== head.file.blob) throw writeConflict(now);
  return now;
}

const quotaOf = (ctx: FileContext) => ctx.deps.config.files.namespaceQuotaBytes ?? null;

async function submit(ctx: FileContext, head: OpenFile, attempt: Attempt, change: NewHead) {
  const at = ctx.deps.clock.now();
  const tagger = await findTagger(ctx, head);
  const verdict: Verdict =
    tagger === undefined
      ? { outcome: "rotated" }
      : await submitOrder(ctx.deps, orderOf(ctx, head, attempt, { ...change, tagger, at }));
  return { verdict, at };
}

/** Undefined when a purge gave the key group another secret since the head was read, maybe while the bytes arrived. */
async function findTagger({ deps }: FileContext, { file }: OpenFile): Promise<Tagger | undefined> {
  try {
    return await deps.files.keys.tagger(file);
  } catch (error) {
    if (error instanceof SecretGoneError) return undefined;
    throw error;
  }
}

function orderOf(
  ctx: FileContext,
  { file, key }: OpenFile,
  attempt: Attempt,
  { tagger, at, ...change }: NewHead & { tagger: Tagger; at: Date },
): ReplaceOrder {
  return {
    kind: "replace",
    namespace: file.namespace,
    fileId: file.id,
    path: file.path,
    keyGroup: file.keyGroup,
    secretId: file.secretId,
    content: attempt.content(key, tagger, change),
    words: attempt.words(key, tagger),
    at,
    quota: quotaOf(ctx),
    reservation: attempt.reservation,
    sees: (marks) => ctx.access.canSee("fs/write", { path: file.path, hidden: isHidden({ ...file, ...marks }) }),
    event: attempt.event(change.kind, key),
    head: { version: file.version, blob: file.blob },
  };
}

export function unchanged(ctx: FileContext, { file, details }: OpenFile): Written {
  return { file: toMetadata(file, details, ctx.deps.config.publicUrl), changed: false };
}

/** At the cap nothing is stored: the bytes are only hashed, and only as far as they may still be the head's. */
async function refuseUnlessSame(ctx: FileContext, head: OpenFile, change: NewHead): Promise<Written> {
  const { size } = head.file;
  const maySame = change.differs !== true && (change.declaredSize === undefined || change.declaredSize === size);
  const isSame = maySame && (await hasContent(change.source, size, head.details));
  if (isSame) return unchanged(ctx, await lookAgainAtSame(ctx, head));
  return await refuseAtCap(ctx, await lookAgain(ctx, head));
}

async function refuseAtCap(ctx: FileContext, head: OpenFile): Promise<never> {
  await recordCapRejection(ctx, head);
  throw versionLimit(head);
}

async function hasContent(source: AsyncIterable<Uint8Array>, size: number, details: ContentDetails): Promise<boolean> {
  const hash = createHash("sha256");
  let seen = 0;
  for await (const chunk of source) {
    seen += chunk.length;
    if (seen > size) return false;
    hash.update(chunk);
  }
  return `sha256-${hash.digest("base64")}` === details.contentHash;
}

async function recordCapRejection(ctx: FileContext, { file }: Pick<OpenFile, "file">): Promise<void> {
  const { deps, requestId } = ctx;
  deps.log.warn({ fileId: file.id, version: file.version, requestId }, "a write is refused: version limit reached");
  const event = { ...eventBy(ctx), kind: "cap.rejected" as const, fileId: file.id, version: file.version };
  await changeNamespace(deps, file.namespace, (tx) => deps.files.audit.record(tx, [event]));
}
