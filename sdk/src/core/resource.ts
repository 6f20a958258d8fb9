import { errorOf } from "./api-error.ts";
import { Store } from "./store.ts";

export type ResourceState<T> = { data: T | undefined; error: Error | undefined; isLoading: boolean };

/** Cache a remote read, and share it between everything that shows it. */
export class Resource<T> extends Store<ResourceState<T>> {
  readonly #read: () => Promise<T>;
  #loading: Promise<T | undefined> | undefined;

  constructor(read: () => Promise<T>) {
    super({ data: undefined, error: undefined, isLoading: false });
    this.#read = read;
  }

  /** Read it unless it is loaded or loading. */
  readonly ensure = async (): Promise<T | undefined> => this.get().data ?? (await (this.#loading ?? this.load()));

  /** Read it again; resolves with undefined on failure, with the reason in `error`. */
  readonly load = async (): Promise<T | undefined> => {
    const loading = this.#loadOnce();
    this.#loading = loading;
    this.set({ isLoading: true });
    const data = await loading;
    if (this.#loading === loading) this.#loading = undefined;
    return data;
  };

  async #loadOnce(): Promise<T | undefined> {
    // Deferred because the caller may be rendering.
    await Promise.resolve();
    try {
      const data = await this.#read();
      this.set({ data, error: undefined, isLoading: false });
      return data;
    } catch (thrown) {
      this.set({ error: errorOf(thrown), isLoading: false });
      return undefined;
    }
  }
}
