/** A stream that passes on unchanged, while its first bytes are kept. */
export class Beginning implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #most: number;
  readonly #kept: Uint8Array[] = [];

  constructor(source: AsyncIterable<Uint8Array>, most: number) {
    this.#source = source;
    this.#most = most;
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#kept);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let room = this.#most;
    for await (const chunk of this.#source) {
      // Copied (a Buffer's own slice would not): the source may use its memory again.
      if (room > 0) this.#kept.push(Buffer.from(chunk.subarray(0, room)));
      room = Math.max(0, room - chunk.length);
      yield chunk;
    }
  }
}
