import { release } from "./release-buffers.ts";
import { segmentSize } from "./segments.ts";

/** A piece of content, full (1 MiB) unless it is the last. Empty content is one empty piece. */
export type Piece = { bytes: Uint8Array; index: number; last: boolean };

/** Cut a stream with any chunk sizes into pieces of one segment. Delays each piece by one, to know whether it is the last. */
export async function* piecesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let index = 0;
  let buffer = Buffer.allocUnsafeSlow(0);
  let filled = 0;
  let length = 0;
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      if (filled === segmentSize) {
        yield { bytes: buffer, index: index++, last: false };
        // The content is longer than one piece, so the next is probably full too; growing a buffer would double the garbage.
        buffer = Buffer.allocUnsafeSlow(segmentSize);
        filled = 0;
        length = segmentSize;
      }
      const part = chunk.subarray(at, at + segmentSize - filled);
      if (filled + part.length > length) {
        length = Math.min(segmentSize, Math.max(2 * length, filled + part.length));
        const larger = Buffer.allocUnsafeSlow(length);
        buffer.copy(larger, 0, 0, filled);
        release(buffer);
        buffer = larger;
      }
      buffer.set(part, filled);
      filled += part.length;
      at += part.length;
    }
  }
  yield { bytes: buffer.subarray(0, filled), index, last: true };
}
