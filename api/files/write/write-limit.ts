import type { Transaction } from "../../platform/db/index.ts";
import { AppError } from "../../platform/errors.ts";
import { newId } from "../../platform/new-id.ts";
import type { FileContext } from "../deps.ts";
import { changeNamespace } from "../records/namespace-lock.ts";
import type { UploadRow } from "../uploads/tables.ts";
import { overFileLimit } from "./errors.ts";
import { isLimited, moveReserved, receivedBytes, releaseBytes, reserveBytes } from "./reservations.ts";

/** Most bytes that are reserved ahead for content of unknown length. */
const mostAhead = 16 * 1024 * 1024;
/** How long a write may wait for its commit after the longest time for a body, in milliseconds. */
const graceMs = 3_600_000;

/** A write's own reservation. */
type Own = { id: string; expiresAt: Date };

/** A resumable upload, whose reservation outlives each request. */
export type LimitedUpload = { id: string; size: number | null; received: number };

/**
 * Limits the bytes of a write to the file limit, and to what it has reserved from the namespace's quota and the store's limit. If
 * neither is configured, nothing is reserved. A request of a resumable upload moves the bytes that it sends from the upload's
 * reservation into its own before it stores them, so that no other write can use that space meanwhile.
 */
export class WriteLimit {
  /** Most bytes of one version. */
  readonly fileLimitBytes: number;
  readonly #ctx: FileContext;
  readonly #own: Own | undefined;
  readonly #upload: LimitedUpload | undefined;
  /** Bytes of the version that have arrived. */
  #counted: number;
  /** Bytes of the version that are reserved. */
  #reserved: number;

  private constructor(ctx: FileContext, own: Own | undefined, upload?: LimitedUpload) {
    this.fileLimitBytes = ctx.deps.config.files.fileLimitBytes;
    this.#ctx = ctx;
    this.#own = own;
    this.#upload = upload;
    this.#counted = upload?.received ?? 0;
    this.#reserved = this.#counted;
  }

  /**
   * Reserve the declared size of a write.
   * @param declaredSize in bytes; if undefined, bytes are reserved as they arrive
   * @throws AppError TOO_LARGE; FORBIDDEN for an owner that may not store files here
   */
  static async reserve(ctx: FileContext, declaredSize: number | undefined): Promise<WriteLimit> {
    requireAllowedSize(ctx, declaredSize);
    if (!isLimited(ctx.deps.config.files)) return new WriteLimit(ctx, undefined);
    const limit = new WriteLimit(ctx, newReservation(ctx));
    if (declaredSize !== undefined && declaredSize > 0) await limit.#reserve(declaredSize);
    return limit;
  }

  /** Create the limit of one request of a resumable upload. */
  static ofUpload(ctx: FileContext, upload: LimitedUpload): WriteLimit {
    return new WriteLimit(ctx, newReservation(ctx), upload);
  }

  /** Create the limit for copying the whole upload into its file. All bytes have arrived, so all of them are reserved. */
  forWholeUpload(ctx: FileContext): WriteLimit {
    const limit = new WriteLimit(ctx, this.#own, this.#upload);
    limit.#counted = 0;
    limit.#reserved = this.#reserved;
    return limit;
  }

  /** Ids of the write's reservations. */
  get reservations(): readonly string[] {
    return [this.#upload, this.#own].flatMap((holder) => holder?.id ?? []);
  }

  /** Pass the source through, and count each chunk first. @throws AppError TOO_LARGE mid-stream */
  async *count(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      this.#counted += chunk.length;
      requireAllowedSize(this.#ctx, this.#counted);
      if (this.#own !== undefined && this.#counted > this.#reserved) await this.#takeFromUpload(this.#own);
      if (this.#own !== undefined && this.#counted > this.#reserved) await this.#grow();
      yield chunk;
    }
  }

  async #takeFromUpload({ id, expiresAt }: Own): Promise<void> {
    const upload = this.#upload;
    if (upload === undefined) return;
    const { namespace } = this;
    const bytes = Math.max(this.#counted - this.#reserved, mostAhead);
    this.#reserved += await changeNamespace(this.#ctx.deps, namespace, async (tx) => {
      const keep = await receivedBytes(tx, upload.id);
      return await moveReserved(tx, upload.id, { id, namespace, bytes, expiresAt }, keep);
    });
  }

  /** Double the reservation, so that a long body needs few reservations. If that is too much, reserve only the missing bytes. */
  async #grow(): Promise<void> {
    const missing = this.#counted - this.#reserved;
    const left = (this.#upload?.size ?? Number.POSITIVE_INFINITY) - this.#reserved;
    const ahead = Math.max(missing, Math.min(this.#reserved, mostAhead, left));
    try {
      await this.#reserve(ahead);
    } catch (error) {
      if (ahead === missing) throw error;
      await this.#reserve(missing);
    }
  }

  /** Reserve the bytes that a commit found missing, because the reservation had expired. @throws AppError TOO_LARGE */
  async reserveAgain(missing: number): Promise<void> {
    const expiresAt = new Date(this.#ctx.deps.clock.now().getTime() + graceMs);
    await this.#reserve(missing, expiresAt);
  }

  async #reserve(bytes: number, expiresAt = this.#own?.expiresAt): Promise<void> {
    if (this.#own === undefined || expiresAt === undefined) return;
    const { deps, quotaPercent } = this.#ctx;
    await reserveBytes(deps, { id: this.#own.id, namespace: this.namespace, bytes, expiresAt, quotaPercent });
    this.#reserved += bytes;
  }

  /** Release the reservation of a write that failed or changed nothing. A commit releases the reservation itself. */
  async release(): Promise<void> {
    if (this.#own === undefined || this.#reserved === 0) return;
    await releaseBytes(this.#ctx.deps, { id: this.#own.id, namespace: this.namespace });
    this.#reserved = 0;
  }

  /** Move bytes of this request, or all that it holds, to the upload's reservation. The transaction must hold the namespace's row. */
  async moveToUpload(tx: Transaction, to: Pick<UploadRow, "id" | "expiresAt">, bytes = Number.MAX_SAFE_INTEGER) {
    const { namespace } = this;
    if (this.#own !== undefined) await moveReserved(tx, this.#own.id, { ...to, namespace, bytes });
  }

  get namespace(): string {
    return this.#ctx.access.grant.owner;
  }
}

/** A reservation that holds nothing yet, and expires when its request can no longer be running. */
function newReservation({ deps: { clock, config } }: FileContext): Own {
  const now = clock.now();
  return { id: newId(now), expiresAt: new Date(now.getTime() + config.files.bodySeconds * 1000 + graceMs) };
}

/** Check a write's size before anything is reserved. @throws AppError TOO_LARGE; FORBIDDEN as requireListedOwner */
export function requireAllowedSize(ctx: FileContext, size: number | undefined): void {
  requireListedOwner(ctx);
  const { fileLimitBytes } = ctx.deps.config.files;
  if (size !== undefined && size > fileLimitBytes) throw overFileLimit(fileLimitBytes);
}

/**
 * Require an owner that may add files. If the operator lists owners (FS_OWNERS), only they and the service itself may. Others can
 * still read, delete and purge their files.
 * @throws AppError FORBIDDEN
 */
export function requireListedOwner({ deps, access }: FileContext): void {
  const { owners } = deps.config.files;
  const { owner } = access.grant;
  const { did, keyDid } = deps.files.identity;
  if (owners === undefined || owners.includes(owner) || owner === keyDid || owner === did) return;
  const message = "This server stores files only for the owners that its operator lists. This DID is not one of them.";
  throw new AppError("FORBIDDEN", message, { details: [{ rule: "listed-owner", message }] });
}
