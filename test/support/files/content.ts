import { createCipheriv, createHash } from "node:crypto";
import { BlobNotFoundError, type BlobRange, type BlobStore } from "../../../api/files/blobs/blob-store.ts";
import { type ReadInput, readContent } from "../../../api/files/content/read-content.ts";
import { type ContentInput, type StoredContent, writeContent } from "../../../api/files/content/write-content.ts";
import type { VersionKey } from "../../../api/files/keys/key-types.ts";
import { newKey } from "../../../api/files/keys/key-wrap.ts";

export const testFileId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** For tests that change stored bytes: blobs in memory, with what was asked of them. */
export class OpenBlobs implements BlobStore {
  readonly kept = new Map<string, Buffer>();
  readonly asked: BlobRange[] = [];

  async put(key: string, source: AsyncIterable<Uint8Array>) {
    const parts: Buffer[] = [];
    for await (const part of source) parts.push(Buffer.from(part));
    this.kept.set(key, Buffer.concat(parts));
    return { size: this.bytes(key).length };
  }

  async *get(key: string, range: BlobRange = { start: 0 }) {
    this.asked.push(range);
    const bytes = this.bytes(key).subarray(range.start, range.end === undefined ? undefined : range.end + 1);
    for (let at = 0; at < bytes.length; at += 1_000_003) yield Buffer.from(bytes.subarray(at, at + 1_000_003));
  }

  bytes(key: string): Buffer {
    const bytes = this.kept.get(key);
    if (bytes === undefined) throw new BlobNotFoundError(key);
    return bytes;
  }

  async delete(key: string): Promise<void> {
    this.kept.delete(key);
  }

  shred(key: string): Promise<void> {
    return this.delete(key);
  }

  async *list(prefix: string) {
    for (const [key, { length }] of this.kept) {
      if (key.startsWith(prefix)) yield { key, size: length, modifiedAt: new Date() };
    }
  }

  async stat(key: string) {
    const bytes = this.kept.get(key);
    return bytes && { key, size: bytes.length, modifiedAt: new Date() };
  }

  async collectLeftovers(): Promise<number> {
    return 0;
  }

  async close(): Promise<void> {}
}

export type TestContent = StoredContent & { key: VersionKey };

/** Store a stream or bytes as version 1 of the test file, unless told otherwise. */
export async function storeTestContent(
  blobs: BlobStore,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  input: Partial<ContentInput> = {},
): Promise<TestContent> {
  const source = content instanceof Uint8Array ? inChunks(content, 65_536) : content;
  const key = input.key ?? newKey<VersionKey>();
  const fixed = { fileId: testFileId, version: 1, limit: Number.MAX_SAFE_INTEGER };
  return { ...(await writeContent({ blobs }, { ...fixed, ...input, key, source })), key };
}

export async function readTestContent(blobs: BlobStore, stored: TestContent, input: Partial<ReadInput> = {}) {
  const { key, blob, size } = stored;
  const parts: Uint8Array[] = [];
  for await (const part of readContent({ blobs }, { fileId: testFileId, version: 1, key, blob, size, ...input })) {
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The pseudo-random bytes of kubo's test vectors: the ChaCha20 key stream of the seed's SHA-256. */
export async function* seededBytes(size: number, seed: string): AsyncGenerator<Uint8Array> {
  const key = createHash("sha256").update(seed).digest();
  const stream = createCipheriv("chacha20", key, Buffer.alloc(16));
  const zeros = Buffer.alloc(1 << 20);
  for (let left = size; left > 0; left -= zeros.length) yield stream.update(zeros.subarray(0, left));
}
