import { multihashKey } from "../../platform/ucan/cid.ts";
import { auditCidHmac } from "../audit/cid-hmac.ts";
import type { FileEvent, FileEventKind } from "../audit/event.ts";
import { removeBlobs } from "../blobs/delete-blobs.ts";
import { type StoredContent, writeContent } from "../content/write-content.ts";
import type { FileContext } from "../deps.ts";
import type { FileKey, VersionKey } from "../keys/key-types.ts";
import { newKey, wrapKey } from "../keys/key-wrap.ts";
import type { Tagger } from "../keys/lookup-tags.ts";
import { sealDetails } from "../keys/sealed-details.ts";
import type { ContentDetails } from "../records/file-metadata.ts";
import { detailsContext } from "../records/find-file.ts";
import { type SealedWords, sealWords } from "../search/word-index.ts";
import { searchedBytes, wordsOf } from "../search/words.ts";
import type { NewContent } from "./commit/commit-order.ts";
import { Beginning } from "./prefix-reader.ts";
import type { Room } from "./write-limit.ts";

export type AttemptInput = {
  fileId: string;
  sealedVersion: number;
  source: AsyncIterable<Uint8Array>;
  room: Room;
  mimeType: string;
};

/** Bytes of one write, stored under a key of their own and named by no row yet. */
export class Attempt {
  readonly stored: StoredContent;
  readonly #ctx: FileContext;
  readonly #input: AttemptInput;
  readonly #key: VersionKey;
  readonly #words: string[];

  private constructor(ctx: FileContext, input: AttemptInput, key: VersionKey, stored: StoredContent, words: string[]) {
    this.#words = words;
    this.#ctx = ctx;
    this.#input = input;
    this.#key = key;
    this.stored = stored;
  }

  /** Store the stream. When it fails, grows too long or the caller goes, nothing is left. */
  static async store(ctx: FileContext, input: AttemptInput): Promise<Attempt> {
    const { files } = ctx.deps;
    const { fileId, sealedVersion: version, room } = input;
    const key = newKey<VersionKey>();
    const start = new Beginning(room.taking(input.source), searchedBytes);
    const signal = ctx.signal === undefined ? {} : { signal: ctx.signal };
    const content = { fileId, version, key, source: start, limit: room.limit, ...signal };
    const stored = await files.committer.expect(() => writeContent(files, content));
    await files.step?.("write-stored");
    return new Attempt(ctx, input, key, stored, wordsOf(input.mimeType, start.bytes));
  }

  get fileId(): string {
    return this.#input.fileId;
  }

  /** What a commit of these bytes gives back. */
  get reservation(): string | null {
    return this.#input.room.reservation;
  }

  /** What the row of the new version holds, under the file's key and its group's tags of this moment. */
  content(fileKey: FileKey, tagger: Tagger, about: Pick<ContentDetails, "mimeType" | "metadata">): NewContent {
    const { fileId, sealedVersion } = this.#input;
    const details = this.details(about);
    return {
      sealedVersion,
      blob: this.stored.blob,
      size: this.stored.size,
      versionKey: wrapKey(fileKey, this.#key),
      details: sealDetails(fileKey, detailsContext(fileId, sealedVersion), details),
      cidTag: tagger.cid(multihashKey(this.stored.cid)),
    };
  }

  /** The words of its text for search, under the file's key and its group's tags; null: none. */
  words(fileKey: FileKey, tagger: Tagger): SealedWords | null {
    const { keys } = this.#ctx.deps.files;
    return sealWords(keys, { fileId: this.fileId, fileKey, tagger, words: this.#words });
  }

  details({ mimeType, metadata }: Pick<ContentDetails, "mimeType" | "metadata">): ContentDetails {
    return { cid: this.stored.cid.toString(), contentHash: this.stored.contentHash, mimeType, metadata };
  }

  event(kind: FileEventKind, fileKey: FileKey): Omit<FileEvent, "version"> {
    const cidHmac = auditCidHmac(fileKey, this.stored.cid.multihash.bytes);
    return { ...eventBy(this.#ctx), kind, fileId: this.#input.fileId, cidHmac };
  }

  /** Take the bytes away again: the write lost, or changes nothing. */
  async discard(): Promise<void> {
    await this.#ctx.deps.files.step?.("write-discarding");
    await removeBlobs(this.#ctx, [this.stored.blob]);
  }
}

/** Who acts, for the audit. */
export function eventBy({ access: { grant } }: FileContext) {
  const { owner, invoker, tokenCid, agent } = grant;
  return { namespace: owner, actor: owner, invoker, tokenCid, ...(agent === undefined ? {} : { agent }) };
}
