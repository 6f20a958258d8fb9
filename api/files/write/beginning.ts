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
      // Copied: the source may use its buffer again.
      if (room > 0) this.#kept.push(chunk.slice(0, room));
      room = Math.max(0, room - chunk.length);
      yield chunk;
    }
  }
}
