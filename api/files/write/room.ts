import { newId } from "../../platform/new-id.ts";
import type { FileContext } from "../deps.ts";
import { requireListedOwner } from "./listed-owner.ts";
import { overFileLimit } from "./refusals.ts";
import { isLimited, releaseBytes, reserveBytes, reservedBytes } from "./reservations.ts";

/** Most bytes that are reserved ahead for content of unknown length. */
const mostAhead = 16 * 1024 * 1024;
/** A write may still wait for its commit when its body had all the time that a body has; milliseconds. */
const graceMs = 3_600_000;

/** What a write holds of the limits before its bytes arrive. */
export type Held = { id: string; bytes: number; expiresAt: Date };

/**
 * What a write may bring: within the file limit, and within what it has reserved of the namespace's quota and the store's limit.
 * Without such limits nothing is reserved.
 */
export class Room {
  /** Most bytes of one version. */
  readonly limit: number;
  readonly #ctx: FileContext;
  #held: Held | undefined;
  #taken: number;

  private constructor(ctx: FileContext, held: Held | undefined, taken: number) {
    this.limit = ctx.deps.config.files.fileLimitBytes;
    this.#ctx = ctx;
    this.#held = held;
    this.#taken = taken;
  }

  /**
   * Reserve what a write announces.
   * @param declaredSize undefined: unknown, and reserved as it arrives
   * @throws AppError TOO_LARGE; FORBIDDEN for an owner that may keep nothing here
   */
  static async open(ctx: FileContext, declaredSize: number | undefined): Promise<Room> {
    const { clock, config } = ctx.deps;
    refuseTooLong(ctx, declaredSize);
    if (!isLimited(config.files)) return new Room(ctx, undefined, 0);
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + config.files.bodySeconds * 1000 + graceMs);
    const room = new Room(ctx, { id: newId(now), bytes: 0, expiresAt }, 0);
    if (declaredSize !== undefined && declaredSize > 0) await room.#reserve(declaredSize);
    return room;
  }

  /** The room of an upload, whose reservation outlives this request. @param taken bytes that have arrived before */
  static ofUpload(ctx: FileContext, held: Held, taken: number): Room {
    return new Room(ctx, held, taken);
  }

  /** Id of the reservation; null when there is none. */
  get reservation(): string | null {
    return this.#held?.id ?? null;
  }

  /** The source, each chunk counted before it is passed on. @throws AppError TOO_LARGE in its midst */
  async *taking(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      this.#taken += chunk.length;
      refuseTooLong(this.#ctx, this.#taken);
      const missing = this.#held === undefined ? 0 : this.#taken - this.#held.bytes;
      if (missing > 0) await this.#grow(missing);
      yield chunk;
    }
  }

  /** Twice as much as there is, so that a long body asks seldom; where that is too much, what is needed. */
  async #grow(missing: number): Promise<void> {
    const ahead = Math.max(missing, Math.min(this.#held?.bytes ?? 0, mostAhead));
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
    if (this.#held === undefined) return;
    this.#held.bytes = await reservedBytes(this.#ctx.deps.db, this.#held.id);
    if (this.#held.bytes < bytes) await this.#reserve(bytes - this.#held.bytes);
  }

  async #reserve(bytes: number): Promise<void> {
    if (this.#held === undefined) return;
    const { id, expiresAt } = this.#held;
    await reserveBytes(this.#ctx.deps, { id, namespace: this.#ctx.access.grant.owner, bytes, expiresAt });
    this.#held.bytes += bytes;
  }

  /** Give everything back. A write that is committed has given it back already. */
  async release(): Promise<void> {
    if (this.#held === undefined || this.#held.bytes === 0) return;
    await releaseBytes(this.#ctx.deps, { id: this.#held.id, namespace: this.#ctx.access.grant.owner });
    this.#held.bytes = 0;
  }
}

/** What a write of that announced length is refused for before anything is reserved. @throws AppError TOO_LARGE, FORBIDDEN */
export function refuseTooLong(ctx: FileContext, declaredSize: number | undefined): void {
  requireListedOwner(ctx);
  const { fileLimitBytes } = ctx.deps.config.files;
  if (declaredSize !== undefined && declaredSize > fileLimitBytes) throw overFileLimit(fileLimitBytes);
}
