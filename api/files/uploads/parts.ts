import { randomBytes } from "node:crypto";
import type { BlobStore } from "../blobs/blob-store.ts";
import { piecesOf } from "../content/pieces.ts";
import { readContent } from "../content/read-content.ts";
import { createSealer } from "../content/seal.ts";
import type { VersionKey } from "../keys/key-types.ts";
import type { PartRow } from "./tables.ts";

/** Size of a part in bytes. After a crash, bytes after the last whole part must be sent again. */
export const partSize = 16 * 1024 * 1024;
export const partsPrefix = "uploads/";

type Deps = { blobs: BlobStore };

/** Cuts a stream into parts. A stream that fails yields the bytes before the failure, and then sets `failure`. */
export class PartCutter {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();
  #ended = false;
  failure: unknown;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** True when the stream has ended. May read the next chunk. */
  async atEnd(): Promise<boolean> {
    while (this.#rest.length === 0 && !this.#ended) await this.#pull();
    return this.#rest.length === 0;
  }

  /** Yield the bytes of the next part. */
  async *part(limit = partSize): AsyncGenerator<Uint8Array> {
    for (let left = limit; left > 0 && !(await this.atEnd()); ) {
      const chunk = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(chunk.length);
      left -= chunk.length;
      yield chunk;
    }
  }

  async #pull(): Promise<void> {
    try {
      const { done, value } = await this.#source.next();
      if (done) this.#ended = true;
      else this.#rest = value;
    } catch (error) {
      this.#ended = true;
      this.failure = error;
    }
  }
}

/** Encrypt and store one part. */
export async function storePart(
  { blobs }: Deps,
  input: { uploadId: string; part: number; key: VersionKey; source: AsyncIterable<Uint8Array> },
): Promise<PartRow> {
  const { uploadId, part, key, source } = input;
  const blob = `${partsPrefix}${randomBytes(16).toString("hex")}`;
  let size = 0;
  const sealer = createSealer(key);
  async function* segments(): AsyncGenerator<Uint8Array> {
    for await (const { bytes, index, last } of piecesOf(source)) {
      size += bytes.length;
      yield* await sealer.seal({ fileId: uploadId, version: part, index, last }, bytes);
    }
  }
  await blobs.put(blob, segments());
  return { part, blob, size };
}

/** Yield the bytes of all parts, in order. @throws BadSegmentError, BlobNotFoundError mid-stream */
export async function* readParts(
  deps: Deps,
  uploadId: string,
  key: VersionKey,
  parts: readonly PartRow[],
): AsyncGenerator<Uint8Array> {
  for (const { part, blob, size } of parts) {
    yield* readContent(deps, { fileId: uploadId, version: part, key, blob, size });
  }
}
