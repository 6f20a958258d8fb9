import { useSyncExternalStore } from "react";
import type { Store } from "../core/store.ts";

/** A store's state, drawn again when it changes. */
export function useStore<State>(store: Store<State>): State {
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}

const empty = { get: () => undefined, subscribe: () => () => {} };

/** The same for a store that is not there yet. */
export function useMaybeStore<State>(store: Store<State> | undefined): State | undefined {
  const { subscribe, get } = store ?? empty;
  return useSyncExternalStore<State | undefined>(subscribe, get, get);
}
