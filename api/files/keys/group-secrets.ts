import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { BlobNotFoundError, type BlobStore } from "../blobs/blob-store.ts";
import type { KeyEncryption } from "./key-encryption.ts";
import type { GroupSecret } from "./key-types.ts";
import { newKey } from "./key-wrap.ts";
import { isOutdated, keepWrapped, openWrapped, type WrappedObjects } from "./wrapped-objects.ts";

/** Thrown when a group's secret was replaced since its row was read: read the row again. */
export class SecretGoneError extends Error {
  constructor(options?: ErrorOptions) {
    super("The key group's secret has been replaced; read its row again.", options);
    this.name = "SecretGoneError";
  }
}

export const secretsPrefix = "secrets/";
/** How many opened secrets are cached (each serves up to 256 files), and for how long after their last use, in milliseconds. */
const cache = { max: 20_000, ttl: 6 * 3_600_000, updateAgeOnGet: true };

/** The secrets of key groups: each written once, and destroyed when it is replaced. */
export class GroupSecrets {
  readonly #objects: WrappedObjects;
  readonly #opened = new LRUCache<string, Promise<GroupSecret>>(cache);

  constructor(blobs: BlobStore, encryption: KeyEncryption) {
    this.#objects = { blobs, encryption };
  }

  /** Create and store a secret. A row with its id must be committed soon, or the sweep removes it. */
  async create(): Promise<{ id: string; secret: GroupSecret }> {
    const secret = newKey<GroupSecret>();
    return { id: await this.keep(secret), secret };
  }

  /** Store a secret under a new id, wrapped with the current key-encryption key. */
  async keep(secret: GroupSecret): Promise<string> {
    const id = randomBytes(16).toString("hex");
    await keepWrapped(this.#objects, keyOf(id), secret);
    this.#opened.set(id, Promise.resolve(secret));
    return id;
  }

  /** @throws SecretGoneError, KeyWrapError */
  async open(id: string): Promise<GroupSecret> {
    const kept = this.#opened.get(id);
    if (kept !== undefined) return kept;
    const opening = openWrapped(this.#objects, keyOf(id)).then((secret) => secret as GroupSecret, toSecretGone);
    this.#opened.set(id, opening);
    opening.catch(() => this.#opened.delete(id));
    return opening;
  }

  /** True when the secret is wrapped with an older key-encryption key. @throws SecretGoneError */
  isOutdated(id: string): Promise<boolean> {
    return isOutdated(this.#objects, keyOf(id)).catch(toSecretGone);
  }

  /** True when it was destroyed or never stored. */
  async isGone(id: string): Promise<boolean> {
    return (await this.#objects.blobs.stat(keyOf(id))) === undefined;
  }

  async destroy(id: string): Promise<void> {
    await this.#objects.blobs.shred(keyOf(id));
    // Last: it may have been opened meanwhile.
    this.#opened.delete(id);
  }

  /** Ids of all stored secrets with their age in milliseconds. */
  async *list(): AsyncIterable<{ id: string; ageMs: number }> {
    for await (const { key, modifiedAt } of this.#objects.blobs.list(secretsPrefix)) {
      yield { id: key.slice(secretsPrefix.length), ageMs: Date.now() - modifiedAt.getTime() };
    }
  }
}

function toSecretGone(error: unknown): never {
  throw error instanceof BlobNotFoundError ? new SecretGoneError({ cause: error }) : error;
}

function keyOf(id: string): string {
  return `${secretsPrefix}${id}`;
}
