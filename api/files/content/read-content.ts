import type { BlobStore } from "../blobs/blob-store.ts";
import type { VersionKey } from "../keys/key-types.ts";
import { readAhead } from "./read-ahead.ts";
import { release } from "./release-buffers.ts";
import { BadSegmentError, createSealer } from "./seal.ts";
import { sealedSegmentSize, sealedSize, sealOverhead, segmentCount, segmentLength, segmentSize } from "./segments.ts";

/** Bytes `start` to `end` of the content, both included. */
export type ContentRange = { start: number; end: number };

export type ReadInput = {
  fileId: string;
  /** The version number that the bytes were encrypted under. */
  version: number;
  key: VersionKey;
  blob: string;
  /** Plaintext size of the whole content in bytes, from its row. */
  size: number;
  range?: ContentRange;
  signal?: AbortSignal;
};

/**
 * Open stored content, whole or a range of it; only the segments that the range touches are read. Every segment is authenticated
 * before any of it is returned; the first damaged one ends the stream with an error.
 * @throws BadSegmentError mid-stream; BlobNotFoundError at the first byte
 */
export async function* readContent(deps: { blobs: BlobStore }, input: ReadInput): AsyncGenerator<Uint8Array> {
  const { size, range = { start: 0, end: size - 1 } } = input;
  const first = size === 0 ? 0 : Math.floor(range.start / segmentSize);
  let at = first * segmentSize;
  for await (const parts of readAhead(openSegments(deps, input, first, range), 1)) {
    for (const part of parts) {
      const wanted = part.subarray(Math.max(0, range.start - at), Math.max(0, range.end + 1 - at));
      at += part.length;
      if (wanted.length > 0) yield wanted;
    }
  }
}

/**
 * As readContent, but returns the bytes in one piece. Content of one segment is read without streams, which cost more than the work.
 * @throws BadSegmentError, BlobNotFoundError
 */
export async function readBytes(deps: { blobs: BlobStore }, input: ReadInput): Promise<Buffer<ArrayBuffer>> {
  if (segmentCount(input.size) > 1) return await gather(readContent(deps, input));
  const { fileId, version, size, range = { start: 0, end: size - 1 } } = input;
  const place = { fileId, version, index: 0, last: true };
  // One more byte is requested: a blob that is longer than its segment is damaged.
  const bytes = deps.blobs.get(input.blob, { start: 0, end: sealedSize(size) }, withSignal(input));
  const sealed = await gather(bytes);
  if (sealed.length !== sealedSize(size)) throw new BadSegmentError(place);
  const parts = await createSealer(input.key).open(place, [sealed]);
  return Buffer.concat(parts).subarray(range.start, range.end + 1);
}

async function gather(source: AsyncIterable<Uint8Array>): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

function withSignal({ signal }: ReadInput): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

async function* openSegments(deps: { blobs: BlobStore }, input: ReadInput, first: number, range: ContentRange) {
  const { fileId, version, size } = input;
  const sealer = createSealer(input.key);
  const count = segmentCount(size);
  const end = size === 0 ? 1 : Math.floor(range.end / segmentSize) + 1;
  // At the end one more byte is requested: a blob that is longer than its segments is damaged.
  const sealedEnd = end === count ? sealedSize(size) : end * sealedSegmentSize - 1;
  const bytes = deps.blobs.get(input.blob, { start: first * sealedSegmentSize, end: sealedEnd }, withSignal(input));
  let index = first;
  const lengthAt = (at: number) => segmentLength(size, at) + sealOverhead;
  for await (const { parts, length } of cut(bytes, () => (index < end ? lengthAt(index) : undefined))) {
    const place = { fileId, version, index, last: index === count - 1 };
    if (index >= end || length !== lengthAt(index)) throw new BadSegmentError(place);
    const opened = await sealer.open(place, parts);
    index += 1;
    yield opened;
  }
  if (index < end) throw new BadSegmentError({ fileId, version, index, last: index === count - 1 });
}

type Cut = { parts: Uint8Array[]; length: number };

/**
 * Regroup a stream's chunks into pieces of the lengths from `nextLength`, without copying. The remainder comes last. Chunks are
 * released after use.
 */
async function* cut(source: AsyncIterable<Uint8Array>, nextLength: () => number | undefined): AsyncGenerator<Cut> {
  let held: Cut = { parts: [], length: 0 };
  let spent: Uint8Array[] = [];
  for await (const chunk of source) {
    let rest = chunk;
    for (;;) {
      const wanted = nextLength();
      if (wanted === undefined || held.length + rest.length < wanted) break;
      const taken = rest.subarray(0, wanted - held.length);
      rest = rest.subarray(taken.length);
      yield { parts: [...held.parts, taken], length: wanted };
      spent.forEach(release);
      spent = [];
      held = { parts: [], length: 0 };
    }
    if (rest.length === 0) {
      release(chunk);
      continue;
    }
    held.parts.push(rest);
    held.length += rest.length;
    spent.push(chunk);
  }
  if (held.length > 0) yield held;
}
