/** A stored blob; `size` in bytes. */
export type BlobEntry = { key: string; size: number; modifiedAt: Date };

/** Bytes `start` to `end`, both included; without `end` to the last. */
export type BlobRange = { start: number; end?: number };

/**
 * Keeps sealed bytes under keys `<kind>/<id>` that are never used twice, so a blob never changes once `put` has respondsWith.
 * One conformance suite (testing.ts) holds for every implementation.
 */
export interface BlobStore {
  /**
   * Keep everything that `source` gives. When it has respondsWith, the blob survives a loss of power. A chunk's memory is not
   * touched any more once the next is asked for.
   * When `source` throws or `signal` aborts, nothing is left and the reason is thrown.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, options?: { signal?: AbortSignal }): Promise<{ size: number }>;
  /**
   * The bytes of a blob, read as they are asked for; leaving the loop closes everything. A range that begins past the end gives
   * nothing. The chunks belong to the caller.
   * @throws BlobNotFoundError at the first byte asked for
   */
  get(key: string, range?: BlobRange, options?: { signal?: AbortSignal }): AsyncIterable<Uint8Array>;
  /** Remove a blob. A missing one counts as removed. */
  delete(key: string): Promise<void>;
  /** Remove a blob and, as far as the medium allows, make its bytes unreadable on the medium. */
  shred(key: string): Promise<void>;
  /** Every blob whose key begins with `prefix` (`<kind>/` or more), in no particular order. */
  list(prefix: string): AsyncIterable<BlobEntry>;
  stat(key: string): Promise<BlobEntry | undefined>;
  /** Remove leftovers of interrupted puts that are older than `olderThanMs`. @returns how many */
  collectLeftovers(olderThanMs: number): Promise<number>;
  close(): Promise<void>;
}

export class BlobNotFoundError extends Error {
  readonly key: string;

  constructor(key: string, options?: ErrorOptions) {
    super(`There is no blob ${key}.`, options);
    this.name = "BlobNotFoundError";
    this.key = key;
  }
}

const keyForm = /^[a-z]{1,16}\/[a-z0-9]{8,64}$/;

/** @throws Error for a key that is not of the form of a blob's key */
export function checkBlobKey(key: string): string {
  if (!keyForm.test(key)) throw new Error("A blob's key is <kind>/<id>: small letters and digits.");
  return key;
}
