const largeEnough = 64 << 10;

/**
 * Free a large buffer's memory immediately; it is empty afterwards. Otherwise the buffers of a stream make the garbage collector
 * run every few segments, which costs more than the cryptography. Use it only for bytes that are not read again. Buffers that
 * share their memory are not freed.
 */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (bytes.byteLength < largeEnough || bytes.byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Yield the chunks of a stream, and free each when the next is requested. */
export async function* releasing(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    yield chunk;
    release(chunk);
  }
}
