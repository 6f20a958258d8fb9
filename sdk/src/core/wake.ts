/** Call back when the page may have missed something: it was hidden, offline, or restored from the cache. Returns the way out. */
export function onWake(wake: () => void): () => void {
  const { document } = globalThis;
  if (document === undefined) return () => {};
  // Kept: when it is left, the page's globals may be gone, as after a test.
  const stopHearing = globalThis.removeEventListener.bind(globalThis);
  const whenVisible = () => document.visibilityState === "visible" && wake();
  const whenRestored = ({ persisted }: PageTransitionEvent) => persisted && wake();
  document.addEventListener("visibilitychange", whenVisible);
  document.addEventListener("resume", wake);
  globalThis.addEventListener("online", wake);
  globalThis.addEventListener("pageshow", whenRestored);
  return () => {
    document.removeEventListener("visibilitychange", whenVisible);
    document.removeEventListener("resume", wake);
    stopHearing("online", wake);
    stopHearing("pageshow", whenRestored);
  };
}

/** Whether the browser knows that there is no network; what is not a browser never does. */
export const isOffline = (): boolean => globalThis.navigator?.onLine === false;

/** Resolves when there is a network again, as far as the browser knows. @throws the signal's reason */
export async function whenOnline(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!isOffline()) return;
  await new Promise<void>((resolve) => {
    const settle = () => {
      globalThis.removeEventListener("online", settle);
      signal.removeEventListener("abort", settle);
      resolve();
    };
    globalThis.addEventListener("online", settle);
    signal.addEventListener("abort", settle);
  });
  signal.throwIfAborted();
}
