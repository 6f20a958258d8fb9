// biome-ignore lint/suspicious/noExplicitAny: each event has arguments of its own, as the app's listener says
export type RoomListener = (...args: any[]) => void;

/** What was given to `once`, by what listens in its place. */
const onceOf = new WeakMap<RoomListener, RoomListener>();

/** Tells listeners by an event's name, with the methods that apps know such objects by. */
export class Emitter {
  readonly #listeners = new Map<string, Set<RoomListener>>();

  on(event: string, listener: RoomListener): this {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return this;
  }

  once(event: string, listener: RoomListener): this {
    const told: RoomListener = (...args) => {
      this.off(event, told);
      listener(...args);
    };
    onceOf.set(told, listener);
    return this.on(event, told);
  }

  off(event: string, listener: RoomListener): this {
    const listeners = this.#listeners.get(event) ?? [];
    for (const each of listeners)
      if (each === listener || onceOf.get(each) === listener) this.#listeners.get(event)?.delete(each);
    return this;
  }

  addListener(event: string, listener: RoomListener): this {
    return this.on(event, listener);
  }

  removeListener(event: string, listener: RoomListener): this {
    return this.off(event, listener);
  }

  removeAllListeners(event?: string): this {
    if (event === undefined) this.#listeners.clear();
    else this.#listeners.delete(event);
    return this;
  }

  /** Whether anybody was told. */
  emit(event: string, ...args: unknown[]): boolean {
    const listeners = [...(this.#listeners.get(event) ?? [])];
    for (const listener of listeners) listener(...args);
    return listeners.length > 0;
  }
}
