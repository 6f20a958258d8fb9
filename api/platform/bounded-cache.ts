/** Cache of values that never change: the most recently used entries, up to a limit. A loader's null is not kept. */
export class BoundedCache<K, V> {
  readonly #limit: number;
  readonly #entries = new Map<K, V>();
  readonly #loading = new Map<K, Promise<V | null>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#limit) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  /** Return the entry and load it if it is missing. Callers that ask at the same time share one load. */
  async through(key: K, load: () => Promise<V | null>): Promise<V | null> {
    const known = this.get(key);
    if (known !== undefined) return known;
    const underway = this.#loading.get(key);
    if (underway !== undefined) return underway;
    const loading = load().finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    const value = await loading;
    if (value !== null) this.set(key, value);
    return value;
  }
}
