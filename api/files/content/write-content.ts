import { createHash, randomBytes, subtle } from "node:crypto";
import type { CID } from "multiformats/cid";
import { AppError } from "../../platform/errors.ts";
import { contentCid } from "../../platform/ucan/index.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { VersionKey } from "../keys/key-types.ts";
import { abortable } from "./abortable.ts";
import { type Piece, piecesOf } from "./pieces.ts";
import { readAhead } from "./read-ahead.ts";
import { release, releasing } from "./release-buffers.ts";
import { createSealer, type SegmentSealer } from "./seal.ts";

export type ContentInput = {
  fileId: string;
  /** The version number that the bytes are encrypted under; reading needs the same. */
  version: number;
  key: VersionKey;
  source: AsyncIterable<Uint8Array>;
  /** Largest size of the content, in bytes. */
  limit: number;
  signal?: AbortSignal;
};

export type StoredContent = {
  /** Key of the encrypted bytes in the blob store, unique to this write. */
  blob: string;
  /** Plaintext bytes. */
  size: number;
  cid: CID;
  /** `sha256-` and the base64 of the whole content's SHA-256. */
  contentHash: string;
  segments: number;
};

/**
 * Hash and encrypt a stream of content and store it as one blob. It needs memory for a few segments, and 32 bytes per MiB. When
 * the source throws, the signal aborts or the limit is exceeded, no blob is stored.
 * @throws AppError TOO_LARGE when the content is longer than `limit`
 */
export async function writeContent(deps: { blobs: BlobStore }, input: ContentInput): Promise<StoredContent> {
  const blob = newContentKey();
  const sealing = new Sealing(input);
  try {
    await deps.blobs.put(blob, sealing.bytes(), input.signal === undefined ? {} : { signal: input.signal });
    return { blob, ...(await sealing.result()) };
  } catch (error) {
    await deps.blobs.delete(blob);
    throw error;
  }
}

/** A new blob key. */
export function newContentKey(): string {
  return `content/${randomBytes(16).toString("hex")}`;
}

async function* flat<Item>(source: AsyncIterable<Item[]>): AsyncGenerator<Item> {
  for await (const items of source) yield* items;
}

class Sealing {
  readonly #input: ContentInput;
  readonly #sealer: SegmentSealer;
  readonly #whole = createHash("sha256");
  readonly #digests: Uint8Array[] = [];
  #size = 0;

  constructor(input: ContentInput) {
    this.#input = input;
    this.#sealer = createSealer(input.key);
  }

  /** The encrypted bytes. Most files have one segment; for these it skips the read-ahead that speeds up long content. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    const { source, signal } = this.#input;
    const pieces = piecesOf(abortable(source, signal));
    try {
      const { value: first } = await pieces.next();
      if (first === undefined) return;
      if (first.last) yield* releasing(await this.#seal(first));
      else yield* releasing(flat(readAhead(this.#segments(first, pieces), 1)));
    } finally {
      await pieces.return(undefined);
    }
  }

  async *#segments(first: Piece, rest: AsyncIterable<Piece>): AsyncGenerator<Uint8Array[]> {
    yield await this.#seal(first);
    for await (const piece of rest) yield await this.#seal(piece);
  }

  async #seal(piece: Piece): Promise<Uint8Array[]> {
    const digest = this.#take(piece);
    const { fileId, version } = this.#input;
    const parts = await this.#sealer.seal({ fileId, version, index: piece.index, last: piece.last }, piece.bytes);
    if (digest !== undefined) this.#digests.push(new Uint8Array(await digest));
    release(piece.bytes);
    return parts;
  }

  /** Count and hash a piece. @returns the digest of its block, made by another thread while this one encrypts the piece */
  #take({ bytes, index, last }: Piece): Promise<ArrayBuffer> | undefined {
    this.#size += bytes.length;
    if (this.#size > this.#input.limit) {
      throw new AppError("TOO_LARGE", `The content is larger than ${this.#input.limit} bytes.`);
    }
    // Content of one block has the digest of that block.
    const digest = index === 0 && last ? undefined : subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
    this.#whole.update(bytes);
    return digest;
  }

  async result(): Promise<Omit<StoredContent, "blob">> {
    const whole = this.#whole.digest();
    const digests = this.#digests.length === 0 ? [whole] : this.#digests;
    return {
      size: this.#size,
      cid: await contentCid(digests, this.#size),
      contentHash: `sha256-${whole.toString("base64")}`,
      segments: digests.length,
    };
  }
}
