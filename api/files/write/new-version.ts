import { createHash } from "node:crypto";
import { notFound } from "../../platform/ucan/index.ts";
import type { FileEventKind } from "../audit/event.ts";
import { eventBy } from "../audit/event-by.ts";
import type { FileContext } from "../deps.ts";
import { SecretGoneError } from "../keys/group-secrets.ts";
import type { Tagger } from "../keys/lookup-tags.ts";
import { type ContentDetails, type FileMetadata, isHidden, toMetadata, versionCap } from "../records/file-metadata.ts";
import { type OpenFile, openFile } from "../records/find-file.ts";
import { changeNamespace } from "../records/namespace-lock.ts";
import type { CommitOrder, Committed, Refused, ReplaceOrder } from "./commit/commit-order.ts";
import { ContentWrite, type WriteTarget } from "./content-write.ts";
import { versionLimit, writeConflict } from "./errors.ts";
import { shareOf } from "./reservations.ts";
import type { StoredVersion } from "./stored-version.ts";

export type VersionInput = {
  source: AsyncIterable<Uint8Array>;
  declaredSize?: number | undefined;
  mimeType: string;
  metadata: Record<string, unknown>;
  kind: FileEventKind;
  /** True when the bytes are known to differ from the head's. */
  differs?: boolean;
};

export type Written = { file: FileMetadata; changed: boolean };

/** How often a write is retried when the file is moved or its keys are rewrapped concurrently. */
const mostTries = 20;

/**
 * Write a new version of a file. Writing the head's bytes again changes nothing, even at the version cap.
 * @param head the head that the caller knows; when another version is committed meanwhile, this write fails
 * @throws AppError VERSION_LIMIT before a byte is stored; WRITE_CONFLICT; TOO_LARGE; NOT_FOUND when the file is gone meanwhile
 */
export async function writeNewVersion(ctx: FileContext, head: OpenFile, input: VersionInput): Promise<Written> {
  await ctx.deps.files.step?.("write-begun");
  if (head.file.retained >= versionCap) return await refuseUnlessSame(ctx, head, input);
  const { source, declaredSize } = input;
  return await new ContentWrite(ctx, new NewVersion(ctx, head, input), { source, declaredSize }).run();
}

/** Build the result of a write that changes nothing. */
export function unchanged(ctx: FileContext, { file, details }: OpenFile): Written {
  return { file: toMetadata(file, details, ctx.deps.config.publicUrl), changed: false };
}

class NewVersion implements WriteTarget<Written> {
  readonly fileId: string;
  readonly sealedVersion: number;
  readonly mimeType: string;
  readonly #ctx: FileContext;
  readonly #input: VersionInput;
  /** The head that the caller knows. */
  readonly #first: OpenFile;
  /** The same head after moves and rewrapped keys. */
  #head: OpenFile;

  constructor(ctx: FileContext, head: OpenFile, input: VersionInput) {
    this.fileId = head.file.id;
    this.sealedVersion = head.file.version + 1;
    this.mimeType = input.mimeType;
    this.#ctx = ctx;
    this.#input = input;
    this.#first = head;
    this.#head = head;
  }

  async resultIfUnchanged(stored: StoredVersion): Promise<Written | undefined> {
    if (stored.content.contentHash !== this.#first.details.contentHash) return undefined;
    return unchanged(this.#ctx, await requireSameHead(this.#ctx, this.#first));
  }

  async order(stored: StoredVersion): Promise<ReplaceOrder | undefined> {
    const { deps, access } = this.#ctx;
    const { file, key } = this.#head;
    const at = deps.clock.now();
    const tagger = await findTagger(this.#ctx, this.#head);
    if (tagger === undefined) return undefined;
    return {
      kind: "replace",
      namespace: file.namespace,
      fileId: file.id,
      path: file.path,
      keyGroup: file.keyGroup,
      secretId: file.secretId,
      content: stored.row(key, tagger, this.#input),
      words: stored.words(key, tagger),
      at,
      quota: shareOf(deps.config.files.namespaceQuotaBytes, this.#ctx.quotaPercent) ?? null,
      reservations: stored.reservations,
      sees: (marks) => access.canSee("fs/write", { path: file.path, hidden: isHidden({ ...file, ...marks }) }),
      event: stored.event(this.#input.kind, key),
      head: { version: file.version, blob: file.blob },
    };
  }

  result(stored: StoredVersion, { at }: CommitOrder, { version, retained, marks }: Committed): Written {
    const file = { ...this.#head.file, ...marks, version, retained, size: stored.content.size, updatedAt: at };
    const { publicUrl } = this.#ctx.deps.config;
    return { file: toMetadata(file, stored.details(this.#input), publicUrl), changed: true };
  }

  async retryOrThrow(refused: Refused, tries: number): Promise<void> {
    const head = await reopen(this.#ctx, this.#first);
    if (refused === "hidden") throw notFound();
    if (refused === "cap") await throwVersionLimit(this.#ctx, head);
    const mayRetry = (refused === "moved" || refused === "rotated") && tries < mostTries;
    if (!mayRetry || head.file.blob !== this.#first.file.blob) throw writeConflict(head);
    this.#head = head;
  }
}

/** Returns undefined if a purge replaced the key group's secret since the head was read. */
async function findTagger({ deps }: FileContext, { file }: OpenFile): Promise<Tagger | undefined> {
  try {
    return await deps.files.keys.tagger(file);
  } catch (error) {
    if (error instanceof SecretGoneError) return undefined;
    throw error;
  }
}

/**
 * Read the head again after the body has arrived. @throws AppError when the token is no longer valid, or the caller may no longer
 * see the file
 */
async function reopen(ctx: FileContext, { file }: OpenFile): Promise<OpenFile> {
  await ctx.access.confirm();
  return await openFile(ctx, "fs/write", { id: file.id });
}

/** As reopen, but require the same head. @throws AppError WRITE_CONFLICT */
async function requireSameHead(ctx: FileContext, head: OpenFile): Promise<OpenFile> {
  const now = await reopen(ctx, head);
  if (now.file.blob !== head.file.blob) throw writeConflict(now);
  return now;
}

/** At the version cap nothing is stored: the bytes are only hashed, and only as long as they can still equal the head's. */
async function refuseUnlessSame(ctx: FileContext, head: OpenFile, input: VersionInput): Promise<Written> {
  const { size } = head.file;
  const maySame = input.differs !== true && (input.declaredSize === undefined || input.declaredSize === size);
  const isSame = maySame && (await hasContent(input.source, size, head.details));
  if (isSame) return unchanged(ctx, await requireSameHead(ctx, head));
  return await throwVersionLimit(ctx, await reopen(ctx, head));
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

/** Record the refusal in the audit, and throw it. */
async function throwVersionLimit(ctx: FileContext, head: OpenFile): Promise<never> {
  const { deps, requestId } = ctx;
  const { file } = head;
  deps.log.warn({ fileId: file.id, version: file.version, requestId }, "a write was refused: version limit reached");
  const event = { ...eventBy(ctx), kind: "cap.rejected" as const, fileId: file.id, version: file.version };
  await changeNamespace(deps, file.namespace, (tx) => deps.files.audit.record(tx, [event]));
  throw versionLimit(head);
}
