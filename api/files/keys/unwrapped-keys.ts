import { LRUCache } from "lru-cache";
import type { FileKey, GroupSecret, VersionKey } from "./key-types.ts";
import { unwrapKey } from "./key-wrap.ts";

/** How many files' keys are kept, and for how long, in milliseconds. */
const cache = { max: 10_000, ttl: 3_600_000 };

/**
 * Keys of the files that were read last, and of the version of each that was read last, so that reading one again unwraps nothing.
 * A key is found only by its wrapped bytes, which each request reads from the file's row: after a purge there is none.
 */
export class UnwrappedKeys {
  readonly #files = new LRUCache<string, { secretId: string; key: FileKey }>(cache);
  readonly #versions = new WeakMap<FileKey, { name: string; key: VersionKey }>();

  /** @throws KeyWrapError */
  fileKey({ secretId, secret }: { secretId: string; secret: GroupSecret }, wrapped: Uint8Array): FileKey {
    const name = nameOf(wrapped);
    const kept = this.#files.get(name);
    if (kept?.secretId === secretId) return kept.key;
    const key = unwrapKey<FileKey>(secret, wrapped);
    this.#files.set(name, { secretId, key });
    return key;
  }

  /** @throws KeyWrapError */
  versionKey(fileKey: FileKey, wrapped: Uint8Array): VersionKey {
    const name = nameOf(wrapped);
    const kept = this.#versions.get(fileKey);
    if (kept?.name === name) return kept.key;
    const key = unwrapKey<VersionKey>(fileKey, wrapped);
    this.#versions.set(fileKey, { name, key });
    return key;
  }

  /** Forget the keys that a secret wraps, because it is destroyed. */
  forget(secretId: string): void {
    for (const [name, kept] of this.#files.entries()) {
      if (kept.secretId === secretId) this.#files.delete(name);
    }
  }
}

function nameOf(wrapped: Uint8Array): string {
  return Buffer.from(wrapped.buffer, wrapped.byteOffset, wrapped.byteLength).toString("latin1");
}
