// biome-ignore lint/suspicious/noExplicitAny: the app's listener declares its event's arguments
export type RoomListener = (...args: any[]) => void;

/** The listener given to `once`, by the wrapper that is registered. */
const onceOf = new WeakMap<RoomListener, RoomListener>();

/** Call listeners by event name, with the usual methods of event emitters. */
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

  /** Call an event's listeners. Returns whether there were any. */
  emit(event: string, ...args: unknown[]): boolean {
    const listeners = [...(this.#listeners.get(event) ?? [])];
    for (const listener of listeners) listener(...args);
    return listeners.length > 0;
  }
}
