import type { BlobStore } from "../blobs/blob-store.ts";
import type { VersionKey } from "../keys/key-kinds.ts";
import { readAhead } from "./read-ahead.ts";
import { BadSegmentError, createSealer } from "./seal.ts";
import { sealedSegmentSize, sealedSize, sealOverhead, segmentCount, segmentLength, segmentSize } from "./segments.ts";

/** Bytes `start` to `end` of the content, both included. */
export type ContentRange = { start: number; end: number };

export type ReadInput = {
  fileId: string;
  /** The number that the bytes were sealed under. */
  version: number;
  key: VersionKey;
  blob: string;
  /** Plaintext bytes of the whole content, as its row tells. */
  size: number;
  range?: ContentRange;
  signal?: AbortSignal;
};

/**
 * Open stored content, whole or a range of it; only the segments that the range touches are read. Every segment is checked
 * before a byte of it is given, and the first bad one ends the stream.
 * @throws BadSegmentError mid-stream; BlobNotFoundError at the first byte
 */
export async function* readContent(deps: { blobs: BlobStore }, input: ReadInput): AsyncGenerator<Uint8Array> {
  const { size, range = { start: 0, end: size - 1 } } = input;
  const first = size === 0 ? 0 : Math.floor(range.start / segmentSize);
  for await (const { index, plaintext } of readAhead(openSegments(deps, input, first, range), 1)) {
    const at = index * segmentSize;
    const part = plaintext.subarray(Math.max(0, range.start - at), range.end + 1 - at);
    if (part.length > 0) yield part;
  }
}

async function* openSegments(deps: { blobs: BlobStore }, input: ReadInput, first: number, range: ContentRange) {
  const { fileId, version, size } = input;
  const sealer = createSealer(input.key);
  const count = segmentCount(size);
  const end = size === 0 ? 1 : Math.floor(range.end / segmentSize) + 1;
  // Up to the end, one byte more is asked for: a blob that goes on past its last segment is not the one that was written.
  const sealedEnd = end === count ? sealedSize(size) : end * sealedSegmentSize - 1;
  const options = input.signal === undefined ? {} : { signal: input.signal };
  const bytes = deps.blobs.get(input.blob, { start: first * sealedSegmentSize, end: sealedEnd }, options);
  let index = first;
  const lengthOf = (at: number) => segmentLength(size, at) + sealOverhead;
  for await (const sealed of cut(bytes, () => (index < end ? lengthOf(index) : undefined))) {
    const place = { fileId, version, index, last: index === count - 1 };
    if (index >= end || sealed.length !== lengthOf(index)) throw new BadSegmentError(place);
    const plaintext = await sealer.open(place, sealed);
    yield { index, plaintext };
    index += 1;
  }
  if (index < end) throw new BadSegmentError({ fileId, version, index, last: index === count - 1 });
}

/** Cut a stream into parts of the lengths that `nextLength` tells; what is left over comes last. */
async function* cut(source: AsyncIterable<Uint8Array>, nextLength: () => number | undefined): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let held = 0;
  for await (const chunk of source) {
    let rest = chunk;
    for (;;) {
      const wanted = nextLength();
      if (wanted === undefined || held + rest.length < wanted) break;
      const taken = rest.subarray(0, wanted - held);
      rest = rest.subarray(taken.length);
      yield Buffer.concat([...parts, taken]);
      parts = [];
      held = 0;
    }
    if (rest.length > 0) parts.push(rest);
    held += rest.length;
  }
  if (held > 0) yield Buffer.concat(parts);
}
