/** A stored blob; `size` in bytes. */
export type BlobEntry = { key: string; size: number; modifiedAt: Date };

/** Bytes `start` to `end`, both included; without `end` to the last. */
export type BlobRange = { start: number; end?: number };

/**
 * Keeps sealed bytes under keys `<kind>/<id>` that are never used twice, so a blob never changes after `put` has returned. Every
 * implementation passes one conformance suite (testing.ts).
 */
export interface BlobStore {
  /**
   * Store everything that `source` yields. After it has returned, the blob survives a loss of power. A chunk's memory is not used
   * after the next chunk is requested. When `source` throws or `signal` aborts, nothing is stored and the reason is thrown.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, options?: { signal?: AbortSignal }): Promise<{ size: number }>;
  /**
   * Read a blob's bytes lazily; leaving the loop closes everything. A range that begins past the end yields nothing. The caller
   * owns the chunks.
   * @throws BlobNotFoundError when the first byte is requested
   */
  get(key: string, range?: BlobRange, options?: { signal?: AbortSignal }): AsyncIterable<Uint8Array>;
  /** Remove a blob. Succeeds if it is missing. */
  delete(key: string): Promise<void>;
  /** Remove a blob and, if the medium allows it, overwrite its bytes. */
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

/** @throws Error for a malformed key */
export function checkBlobKey(key: string): string {
  if (!keyForm.test(key)) throw new Error("A blob's key is <kind>/<id>, in lower-case letters and digits.");
  return key;
}
