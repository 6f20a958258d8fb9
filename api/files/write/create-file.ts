import { AppError } from "../../platform/errors.ts";
import { newId } from "../../platform/new-id.ts";
import { notFound } from "../../platform/ucan/index.ts";
import { cleanMimeType } from "../../platform/values/mime-type.ts";
import type { FileContext } from "../deps.ts";
import { type FileMetadata, toMetadata } from "../records/file-metadata.ts";
import type { CommitOrder, Committed, CreateOrder, Refused } from "./commit/commit-order.ts";
import { ContentWrite, type WriteTarget } from "./content-write.ts";
import { canWriteAt, type FileLocation, requireFreePath, throwPathTaken } from "./free-path.ts";
import type { Preconditions } from "./preconditions.ts";
import { shareOf } from "./reservations.ts";
import type { StoredVersion } from "./stored-version.ts";
import { requireAllowedSize, type WriteLimit } from "./write-limit.ts";

export type CreateInput = Preconditions & {
  path: string;
  mimeType: string;
  hidden?: boolean | undefined;
  public?: boolean | undefined;
  metadata?: Record<string, unknown> | undefined;
  content: AsyncIterable<Uint8Array>;
  declaredSize?: number | undefined;
  /** The limit of the resumable upload that the content comes from. */
  limit?: WriteLimit | undefined;
};

const mostTries = 20;
const firstVersion = 1;

/**
 * Create a file with its first version.
 * @throws AppError NOT_FOUND when the path is outside the caller's scope or would be hidden from it; CONFLICT when the path is
 * taken; PRECONDITION_FAILED; TOO_LARGE
 */
export async function createFile(ctx: FileContext, input: CreateInput): Promise<FileMetadata> {
  const location = await checkCreate(ctx, input);
  await ctx.deps.files.step?.("write-begun");
  const { content: source, declaredSize, limit } = input;
  return await new ContentWrite(ctx, new NewFile(ctx, input, location), { source, declaredSize, limit }).run();
}

/** Run the checks of createFile without any content. */
export async function checkCreate(
  ctx: FileContext,
  input: Omit<CreateInput, "content" | "mimeType">,
): Promise<FileLocation> {
  const location = await requireFreePath(ctx, input);
  requireAllowedSize(ctx, input.declaredSize);
  return location;
}

class NewFile implements WriteTarget<FileMetadata> {
  readonly fileId: string;
  readonly sealedVersion = firstVersion;
  readonly mimeType: string;
  readonly #ctx: FileContext;
  readonly #input: CreateInput;
  readonly #location: FileLocation;

  constructor(ctx: FileContext, input: CreateInput, location: FileLocation) {
    this.fileId = newId(ctx.deps.clock.now());
    this.mimeType = cleanMimeType(input.mimeType);
    this.#ctx = ctx;
    this.#input = input;
    this.#location = location;
  }

  async resultIfUnchanged(): Promise<undefined> {
    return undefined;
  }

  async order(stored: StoredVersion, tries: number): Promise<CreateOrder> {
    const { deps, access } = this.#ctx;
    const { owner } = access.grant;
    // After a failed try, the cached key group is out of date.
    const fresh = await deps.files.keys.newFileKey(owner, tries > 1);
    return {
      kind: "create",
      namespace: owner,
      fileId: this.fileId,
      path: this.#location.path,
      hidden: this.#input.hidden ?? false,
      public: this.#input.public ?? false,
      keyGroup: fresh.groupId,
      secretId: fresh.secretId,
      fileKey: fresh.wrapped,
      content: stored.row(fresh.key, fresh.tagger, this.#about()),
      words: stored.words(fresh.key, fresh.tagger),
      at: deps.clock.now(),
      quota: shareOf(deps.config.files.namespaceQuotaBytes, this.#ctx.quotaPercent) ?? null,
      reservations: stored.reservations,
      sees: (marks) => canWriteAt(this.#ctx, this.#input, { ...this.#location, ...marks }),
      event: stored.event("file.created", fresh.key),
    };
  }

  result(stored: StoredVersion, { at, namespace }: CommitOrder, { marks }: Committed): FileMetadata {
    const file = {
      id: this.fileId,
      namespace,
      path: this.#location.path,
      version: firstVersion,
      retained: 1,
      size: stored.content.size,
      hidden: this.#input.hidden ?? false,
      public: this.#input.public ?? false,
      ...marks,
      createdAt: at,
      updatedAt: at,
      createdBy: namespace,
      trashedAt: null,
    };
    return toMetadata(file, stored.details(this.#about()), this.#ctx.deps.config.publicUrl);
  }

  async retryOrThrow(refused: Refused, tries: number): Promise<void> {
    if (refused === "hidden") throw notFound();
    if (refused === "taken") await throwPathTaken(this.#ctx, this.#input, this.#location.path);
    if (tries === mostTries) {
      throw new AppError("WRITE_CONFLICT", "Concurrent writes interfered several times; try again.");
    }
  }

  #about() {
    return { mimeType: this.mimeType, metadata: this.#input.metadata ?? {} };
  }
}
