import { blockSize } from "../../platform/ucan/index.ts";

/** Bytes of plaintext in a segment: one block of the CID, so that a segment is hashed once. */
export const segmentSize = blockSize;
/** What sealing adds to a segment, whatever its length: the message's header, its one frame's header and its tags. */
export const sealOverhead = 312;
/** The part of it that is the message's header with its authentication. */
export const sealedHeaderSize = 272;
export const sealedSegmentSize = segmentSize + sealOverhead;

/** Which segment of which version of which file: sealed into the segment and compared when it is opened. */
export type SegmentPlace = { fileId: string; version: number; index: number; last: boolean };

/** Segments of `size` bytes of content. Empty content has one, so that its absence is seen. */
export function segmentCount(size: number): number {
  return Math.max(1, Math.ceil(size / segmentSize));
}

/** Bytes of the blob that holds `size` bytes of content. */
export function sealedSize(size: number): number {
  return size + segmentCount(size) * sealOverhead;
}

/** Plaintext bytes of segment `index` of `size` bytes of content. */
export function segmentLength(size: number, index: number): number {
  return Math.min(segmentSize, size - index * segmentSize);
}
