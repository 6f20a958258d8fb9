const largeEnough = 64 << 10;

/**
 * Give a large buffer's memory back at once; whoever holds it sees it empty. Left to the garbage collector, the buffers of a
 * stream make it run every few segments, which costs more than the cryptography. Only for bytes that nobody reads any more;
 * one that shares its memory with others is left alone.
 */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (bytes.byteLength < largeEnough || bytes.byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** The chunks of a stream, each released when the next is asked for. */
export async function* releasing(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    yield chunk;
    release(chunk);
  }
}
