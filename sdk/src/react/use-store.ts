"use client";

import { useSyncExternalStore } from "react";
import type { Store } from "../core/store.ts";

/** Subscribe to a store. */
export function useStore<State>(store: Store<State>): State {
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}

const empty = { get: () => undefined, subscribe: () => () => {} };

/** Subscribe to a store that may not exist yet. */
export function useMaybeStore<State>(store: Store<State> | undefined): State | undefined {
  const { subscribe, get } = store ?? empty;
  return useSyncExternalStore<State | undefined>(subscribe, get, get);
}
