/** What the store tells of a blob. `size` in bytes. */
export type BlobEntry = { key: string; size: number; modifiedAt: Date };

/** Bytes `start` to `end`, both included; without `end` to the last. */
export type BlobRange = { start: number; end?: number };

/**
 * Keeps sealed bytes under keys `<kind>/<id>` that are never used twice, so a blob never changes once `put` has answered.
 * One conformance suite (testing.ts) holds for every implementation.
 */
export interface BlobStore {
  /**
   * Keep everything that `source` gives. When it has answered, the blob survives a loss of power. A chunk's memory is not
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
  /** Remove a blob. One that is not there counts as removed. */
  delete(key: string): Promise<void>;
  /** Remove a blob so that its bytes cannot be read from the medium either, as far as the medium allows. */
  shred(key: string): Promise<void>;
  /** Every blob whose key begins with `prefix` (`<kind>/` or more), in no order. */
  list(prefix: string): AsyncIterable<BlobEntry>;
  stat(key: string): Promise<BlobEntry | undefined>;
  /** Remove what puts that were cut off left behind, when nothing has touched it for `olderThanMs`. How many. */
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

/** @throws Error for a key that could mean anything else than one blob */
export function checkBlobKey(key: string): string {
  if (!keyForm.test(key)) throw new Error("A blob's key is <kind>/<id>: small letters and digits.");
  return key;
}
