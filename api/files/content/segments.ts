import { blockSize } from "../../platform/ucan/index.ts";

/** Bytes of plaintext in a segment: one block of the CID, so that each segment is hashed only once. */
export const segmentSize = blockSize;
/** Bytes that encryption adds to each segment: the message header, the frame header and the tags. */
export const sealOverhead = 312;
/** Bytes of the message header with its authentication tag. */
export const sealedHeaderSize = 272;
export const sealedSegmentSize = segmentSize + sealOverhead;

/** Identifies a segment of a version of a file. It is authenticated with the segment and compared on decryption. */
export type SegmentPlace = { fileId: string; version: number; index: number; last: boolean };

/** Count the segments of `size` bytes of content. Empty content has one, so that a missing blob is detected. */
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
