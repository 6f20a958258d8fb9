import type { StreamingMode } from "./types.ts";

/** While a page is hidden no frame is drawn; then this many milliseconds are one. */
const hiddenMs = 100;

/** Calls `flush` once for many changes: per animation frame when batched, at once when immediate. */
export class Flusher {
  readonly #flush: () => void;
  #cancel: (() => void) | undefined;

  constructor(flush: () => void) {
    this.#flush = flush;
  }

  schedule(mode: StreamingMode): void {
    if (mode === "immediate") this.now();
    else this.#cancel ??= nextFrame(() => this.now());
  }

  now(): void {
    this.cancel();
    this.#flush();
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** The next animation frame, or the timer where none comes. */
function nextFrame(run: () => void): () => void {
  const frame = typeof requestAnimationFrame === "function" ? requestAnimationFrame(run) : undefined;
  const timer = setTimeout(run, hiddenMs);
  return () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
