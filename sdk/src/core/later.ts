/** A value or error that is set later and may change. */
export class Later<T> {
  #value: T | undefined;
  #error: Error | undefined;
  readonly #waiting = new Set<() => void>();

  get value(): T | undefined {
    return this.#value;
  }

  set(value: T | undefined): void {
    this.#value = value;
    if (value === undefined) return;
    this.#error = undefined;
    this.#tell();
  }

  fail(error: Error): void {
    this.#error = error;
    this.#tell();
  }

  /** Wait for the value. @throws Error the error set in its place, or the signal's reason */
  async when(signal: AbortSignal): Promise<T> {
    while (this.#value === undefined) {
      signal.throwIfAborted();
      if (this.#error !== undefined) throw this.#error;
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    return this.#value;
  }

  #tell(): void {
    const told = [...this.#waiting];
    this.#waiting.clear();
    for (const tell of told) tell();
  }
}
