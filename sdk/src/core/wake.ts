/** Listen for moments when the page may have missed events: it was hidden, offline or cached. Returns a function that stops. */
export function onWake(wake: () => void): () => void {
  const { document } = globalThis;
  if (document === undefined) return () => {};
  // Bound now, because the globals may be gone when listening stops, for example after a test.
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

/** Tell whether the browser reports that it is offline; false outside browsers. */
export const isOffline = (): boolean => globalThis.navigator?.onLine === false;

/** Wait until the browser reports that it is online. @throws the signal's reason when aborted */
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
