const largeEnough = 64 << 10;

/**
 * Free a large buffer's memory at once; afterwards it is empty. Left to the garbage collector, the buffers of a stream make it run
 * every few segments, which costs more than the cryptography. Only for bytes that are no longer read. Buffers that share their memory
 * with others are not freed.
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
