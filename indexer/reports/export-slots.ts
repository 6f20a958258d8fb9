/** Most exports at a time, because each keeps the database busy until it has been read. */
export class ExportSlots {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#taken >= this.#most;
  }

  /** Take a slot. @returns a function that releases it; it may be called more than once */
  take(): () => void {
    this.#taken += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken -= 1;
      isTaken = false;
    };
  }

  /** Wrap a stream so that `end` is called when it has been read, fails or is cancelled. */
  watch(stream: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
    const reader = stream.getReader();
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            controller.enqueue(value);
            return;
          }
          end();
          controller.close();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    });
  }
}
