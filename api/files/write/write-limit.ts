import { AppError } from "../../platform/errors.ts";
import { newId } from "../../platform/new-id.ts";
import type { FileContext } from "../deps.ts";
import { overFileLimit } from "./errors.ts";
import { isLimited, releaseBytes, reserveBytes, reservedBytes } from "./reservations.ts";

/** Most bytes that are reserved ahead for content of unknown length. */
const mostAhead = 16 * 1024 * 1024;
/** How long a write may wait for its commit after its body had all the time that bodies have, in milliseconds. */
const graceMs = 3_600_000;

/** What a write has reserved of the quotas. */
export type Reserved = { id: string; bytes: number; expiresAt: Date };

/**
 * How many bytes a write may bring: up to the file limit, and up to what it has reserved of the namespace's quota and the store's
 * limit. Without these two limits nothing is reserved.
 */
export class WriteLimit {
  /** Most bytes of one version. */
  readonly fileLimitBytes: number;
  readonly #ctx: FileContext;
  #reserved: Reserved | undefined;
  #counted: number;

  private constructor(ctx: FileContext, reserved: Reserved | undefined, counted: number) {
    this.fileLimitBytes = ctx.deps.config.files.fileLimitBytes;
    this.#ctx = ctx;
    this.#reserved = reserved;
    this.#counted = counted;
  }

  /**
   * Reserve the declared size of a write.
   * @param declaredSize undefined: unknown; bytes are reserved as they arrive
   * @throws AppError TOO_LARGE; FORBIDDEN for an owner that may not keep files here
   */
  static async reserve(ctx: FileContext, declaredSize: number | undefined): Promise<WriteLimit> {
    const { clock, config } = ctx.deps;
    requireAllowedSize(ctx, declaredSize);
    if (!isLimited(config.files)) return new WriteLimit(ctx, undefined, 0);
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + config.files.bodySeconds * 1000 + graceMs);
    const limit = new WriteLimit(ctx, { id: newId(now), bytes: 0, expiresAt }, 0);
    if (declaredSize !== undefined && declaredSize > 0) await limit.#reserve(declaredSize);
    return limit;
  }

  /** The limit of a resumable upload, whose reservation outlives this request. @param received bytes of earlier requests */
  static ofUpload(ctx: FileContext, reserved: Reserved, received: number): WriteLimit {
    return new WriteLimit(ctx, reserved, received);
  }

  /** Id of the reservation; null when there is none. */
  get reservation(): string | null {
    return this.#reserved?.id ?? null;
  }

  /** The source, each chunk counted before it is passed on. @throws AppError TOO_LARGE mid-stream */
  async *count(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      this.#counted += chunk.length;
      requireAllowedSize(this.#ctx, this.#counted);
      const missing = this.#reserved === undefined ? 0 : this.#counted - this.#reserved.bytes;
      if (missing > 0) await this.#grow(missing);
      yield chunk;
    }
  }

  /** Double the reservation, so that a long body needs few of them; where that is too much, reserve what is missing. */
  async #grow(missing: number): Promise<void> {
    const ahead = Math.max(missing, Math.min(this.#reserved?.bytes ?? 0, mostAhead));
    try {
      await this.#reserve(ahead);
    } catch (error) {
      if (ahead === missing) throw error;
      await this.#reserve(missing);
    }
  }

  /**
   * Reserve again what an idle upload had to give back while these bytes arrived.
   * @param bytes how many have arrived in all
   * @throws AppError TOO_LARGE
   */
  async renew(bytes: number): Promise<void> {
    if (this.#reserved === undefined) return;
    this.#reserved.bytes = await reservedBytes(this.#ctx.deps.db, this.#reserved.id);
    if (this.#reserved.bytes < bytes) await this.#reserve(bytes - this.#reserved.bytes);
  }

  async #reserve(bytes: number): Promise<void> {
    if (this.#reserved === undefined) return;
    const { id, expiresAt } = this.#reserved;
    await reserveBytes(this.#ctx.deps, { id, namespace: this.#ctx.access.grant.owner, bytes, expiresAt });
    this.#reserved.bytes += bytes;
  }

  /** Release the reservation of a write that failed or changed nothing. A commit releases its own. */
  async release(): Promise<void> {
    if (this.#reserved === undefined || this.#reserved.bytes === 0) return;
    await releaseBytes(this.#ctx.deps, { id: this.#reserved.id, namespace: this.#ctx.access.grant.owner });
    this.#reserved.bytes = 0;
  }
}

/** Check a write's size before anything is reserved. @throws AppError TOO_LARGE; FORBIDDEN as requireListedOwner */
export function requireAllowedSize(ctx: FileContext, size: number | undefined): void {
  requireListedOwner(ctx);
  const { fileLimitBytes } = ctx.deps.config.files;
  if (size !== undefined && size > fileLimitBytes) throw overFileLimit(fileLimitBytes);
}

/**
 * Where the operator lists the owners (FS_OWNERS), only they and the service itself may add files. Others can still read, delete
 * and purge what they have.
 * @throws AppError FORBIDDEN
 */
export function requireListedOwner({ deps, access }: FileContext): void {
  const { owners } = deps.config.files;
  const { owner } = access.grant;
  const { did, keyDid } = deps.files.identity;
  if (owners === undefined || owners.includes(owner) || owner === keyDid || owner === did) return;
  const message = "This server keeps files only for the owners that its operator lists, and this DID is none of them.";
  throw new AppError("FORBIDDEN", message, { details: [{ rule: "listed-owner", message }] });
}
