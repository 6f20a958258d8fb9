import { multihashKey } from "../../platform/ucan/index.ts";
import { auditCidHmac } from "../audit/cid-hmac.ts";
import type { FileEvent, FileEventKind } from "../audit/event.ts";
import { eventBy } from "../audit/event-by.ts";
import { deleteBlobsOrLog } from "../blobs/delete-blobs.ts";
import { type StoredContent, writeContent } from "../content/write-content.ts";
import type { FileContext } from "../deps.ts";
import type { FileKey, VersionKey } from "../keys/key-types.ts";
import { newKey, wrapKey } from "../keys/key-wrap.ts";
import type { Tagger } from "../keys/lookup-tags.ts";
import { sealDetails } from "../keys/sealed-details.ts";
import type { ContentDetails } from "../records/file-metadata.ts";
import { detailsContext } from "../records/find-file.ts";
import { type SealedWords, sealWords } from "../search/word-index.ts";
import { mayBeText, searchedBytes, wordsOf } from "../search/words.ts";
import type { NewContent } from "./commit/commit-order.ts";
import type { WriteLimit } from "./write-limit.ts";

export type StoreInput = {
  fileId: string;
  /** The version number that the bytes are encrypted under. */
  sealedVersion: number;
  source: AsyncIterable<Uint8Array>;
  limit: WriteLimit;
  mimeType: string;
};

/** The bytes of one write, encrypted under a new key and stored as a blob that no row names yet. */
export class StoredVersion {
  readonly content: StoredContent;
  readonly #ctx: FileContext;
  readonly #input: StoreInput;
  readonly #key: VersionKey;
  readonly #words: string[];

  private constructor(ctx: FileContext, input: StoreInput, key: VersionKey, content: StoredContent, words: string[]) {
    this.content = content;
    this.#ctx = ctx;
    this.#input = input;
    this.#key = key;
    this.#words = words;
  }

  /** Encrypt and store the stream. Stores nothing if it fails, is too long or the client disconnects. */
  static async store(ctx: FileContext, input: StoreInput): Promise<StoredVersion> {
    const { files } = ctx.deps;
    const { fileId, sealedVersion, limit, mimeType } = input;
    const key = newKey<VersionKey>();
    // A photo has no words, so its bytes need not be copied.
    const source = new PrefixReader(limit.count(input.source), mayBeText(mimeType) ? searchedBytes : 0);
    const content = await files.committer.announce(() =>
      writeContent(files, {
        fileId,
        version: sealedVersion,
        key,
        source,
        limit: limit.fileLimitBytes,
        ...(ctx.signal === undefined ? {} : { signal: ctx.signal }),
      }),
    );
    await files.step?.("write-stored");
    return new StoredVersion(ctx, input, key, content, wordsOf(mimeType, source.prefix));
  }

  get fileId(): string {
    return this.#input.fileId;
  }

  /** Ids of the reservations that the commit of these bytes releases. */
  get reservations(): readonly string[] {
    return this.#input.limit.reservations;
  }

  /** Build the content columns of the new version's row, sealed with the file's key and tagged for its key group. */
  row(fileKey: FileKey, tagger: Tagger, about: Pick<ContentDetails, "mimeType" | "metadata">): NewContent {
    const { fileId, sealedVersion } = this.#input;
    const details = this.details(about);
    return {
      sealedVersion,
      blob: this.content.blob,
      size: this.content.size,
      versionKey: wrapKey(fileKey, this.#key),
      details: sealDetails(fileKey, detailsContext(fileId, sealedVersion), details),
      cidTag: tagger.cid(multihashKey(this.content.cid)),
    };
  }

  /** Collect the words of its text for search; null when there are none. */
  words(fileKey: FileKey, tagger: Tagger): SealedWords | null {
    const { keys } = this.#ctx.deps.files;
    return sealWords(keys, { fileId: this.fileId, fileKey, tagger, words: this.#words });
  }

  details({ mimeType, metadata }: Pick<ContentDetails, "mimeType" | "metadata">): ContentDetails {
    return { cid: this.content.cid.toString(), contentHash: this.content.contentHash, mimeType, metadata };
  }

  event(kind: FileEventKind, fileKey: FileKey): Omit<FileEvent, "version"> {
    const cidHmac = auditCidHmac(fileKey, this.content.cid.multihash.bytes);
    return { ...eventBy(this.#ctx), kind, fileId: this.fileId, cidHmac };
  }

  /** Delete the blob, because the write failed or changes nothing. */
  async discard(): Promise<void> {
    await this.#ctx.deps.files.step?.("write-discarding");
    await deleteBlobsOrLog(this.#ctx, [this.content.blob]);
  }
}

/** Passes a stream through unchanged and keeps its first bytes. */
class PrefixReader implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #length: number;
  readonly #kept: Uint8Array[] = [];

  constructor(source: AsyncIterable<Uint8Array>, length: number) {
    this.#source = source;
    this.#length = length;
  }

  get prefix(): Uint8Array {
    return Buffer.concat(this.#kept);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let missing = this.#length;
    for await (const chunk of this.#source) {
      // Copy the bytes (Buffer.slice does not), because the source may reuse its memory.
      if (missing > 0) this.#kept.push(Buffer.from(chunk.subarray(0, missing)));
      missing = Math.max(0, missing - chunk.length);
      yield chunk;
    }
  }
}
