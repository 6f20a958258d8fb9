/** A value with an expiry in unix milliseconds. */
export type Timed<T> = { value: T; expiresAt: number };

/**
 * Cache a value until shortly before it expires. Concurrent callers share one computation; a failure is not cached.
 */
export class TimedCache<T> {
  readonly #make: () => Promise<Timed<T>>;
  readonly #earlyMs: number;
  readonly #now: () => number;
  #kept: Timed<T> | undefined;
  #making: Promise<Timed<T>> | undefined;

  constructor(make: () => Promise<Timed<T>>, earlyMs: number, now: () => number = Date.now) {
    this.#make = make;
    this.#earlyMs = earlyMs;
    this.#now = now;
  }

  async get(): Promise<T> {
    if (this.#kept !== undefined && this.#kept.expiresAt - this.#earlyMs > this.#now()) return this.#kept.value;
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    this.#kept = await this.#making;
    return this.#kept.value;
  }

  forget(): void {
    this.#kept = undefined;
  }
}
