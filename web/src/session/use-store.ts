import { useSyncExternalStore } from "react";

/**
 * The value of a store outside React, which renders the component again when the value changes. The build, which has no browser,
 * shows the same value as the browser's first render.
 */
export function useStore<Value>(subscribe: (listener: () => void) => () => void, current: () => Value): Value {
  return useSyncExternalStore(subscribe, current, current);
}
