/** Call back when the page may have missed something: it was hidden, offline, or restored from the cache. Returns the way out. */
export function onWake(wake: () => void): () => void {
  if (typeof document === "undefined") return () => {};
  const whenVisible = () => document.visibilityState === "visible" && wake();
  const whenRestored = ({ persisted }: PageTransitionEvent) => persisted && wake();
  document.addEventListener("visibilitychange", whenVisible);
  document.addEventListener("resume", wake);
  window.addEventListener("online", wake);
  window.addEventListener("pageshow", whenRestored);
  return () => {
    document.removeEventListener("visibilitychange", whenVisible);
    document.removeEventListener("resume", wake);
    window.removeEventListener("online", wake);
    window.removeEventListener("pageshow", whenRestored);
  };
}
