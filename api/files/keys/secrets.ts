import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { BlobNotFoundError, type BlobStore } from "../blobs/blob-store.ts";
import type { KeyEncryption } from "./key-encryption.ts";
import type { GroupSecret } from "./key-kinds.ts";
import { newKey } from "./key-wrap.ts";

/** Thrown when a group's secret was replaced since its row was read: read the row again. */
export class SecretGoneError extends Error {
  constructor(options?: ErrorOptions) {
    super("The key group's secret has been replaced; read its row again.", options);
    this.name = "SecretGoneError";
  }
}

const storedSecret = z.strictObject({ kek: z.string(), wrapped: z.base64() });
/** Opened secrets kept in memory; 256 files each. */
const keptSecrets = 20_000;
export const secretsPrefix = "secrets/";

/** The secrets of key groups: small objects in the blob store, wrapped, each written once and destroyed when replaced. */
export class GroupSecrets {
  readonly #blobs: BlobStore;
  readonly #encryption: KeyEncryption;
  readonly #opened = new LRUCache<string, Promise<GroupSecret>>({ max: keptSecrets });

  constructor(blobs: BlobStore, encryption: KeyEncryption) {
    this.#blobs = blobs;
    this.#encryption = encryption;
  }

  /** Make a secret and keep it. Whatever names its id must commit later, or the sweep takes it away. */
  async create(): Promise<{ id: string; secret: GroupSecret }> {
    const secret = newKey<GroupSecret>();
    const id = await this.keep(secret);
    return { id, secret };
  }

  /** Keep a secret under a new id, wrapped with the current key-encryption key. */
  async keep(secret: GroupSecret): Promise<string> {
    const id = randomBytes(16).toString("hex");
    const { kek, wrapped } = await this.#encryption.wrap(secret);
    const stored = Buffer.from(JSON.stringify({ kek, wrapped: wrapped.toString("base64") }));
    await this.#blobs.put(keyOf(id), once(stored));
    this.#opened.set(id, Promise.resolve(secret));
    return id;
  }

  /** @throws SecretGoneError, KeyWrapError */
  async open(id: string): Promise<GroupSecret> {
    const kept = this.#opened.get(id);
    if (kept !== undefined) return kept;
    const opening = this.#read(id).then((stored) => this.#encryption.unwrap(stored));
    this.#opened.set(id, opening);
    opening.catch(() => this.#opened.delete(id));
    return opening;
  }

  /** Id of the key-encryption key that the secret is wrapped with. */
  async kekOf(id: string): Promise<string> {
    return (await this.#read(id)).kek;
  }

  async destroy(id: string): Promise<void> {
    this.#opened.delete(id);
    await this.#blobs.shred(keyOf(id));
  }

  /** Ids of all kept secrets with their age in milliseconds. */
  async *list(): AsyncIterable<{ id: string; ageMs: number }> {
    for await (const { key, modifiedAt } of this.#blobs.list(secretsPrefix)) {
      yield { id: key.slice(secretsPrefix.length), ageMs: Date.now() - modifiedAt.getTime() };
    }
  }

  async #read(id: string) {
    const parts: Uint8Array[] = [];
    try {
      for await (const part of this.#blobs.get(keyOf(id))) parts.push(part);
    } catch (error) {
      throw error instanceof BlobNotFoundError ? new SecretGoneError({ cause: error }) : error;
    }
    const { kek, wrapped } = storedSecret.parse(JSON.parse(Buffer.concat(parts).toString("utf8")));
    return { kek, wrapped: Buffer.from(wrapped, "base64") };
  }
}

function keyOf(id: string): string {
  return `${secretsPrefix}${id}`;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
