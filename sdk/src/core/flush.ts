import type { StreamingMode } from "./types.ts";

/** While a page is hidden no frame is drawn; then this many milliseconds are one. */
const hiddenMs = 100;

/** Calls `flush` once for many changes: per animation frame when batched, per window when throttled, at once when immediate. */
export class Flusher {
  readonly #flush: () => void;
  #cancel: (() => void) | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(flush: () => void) {
    this.#flush = flush;
  }

  /** @param windowMs how long changes gather when throttled */
  schedule(mode: StreamingMode, windowMs = 50): void {
    const leftMs = mode === "throttled" ? this.#flushedAt + windowMs - Date.now() : 0;
    if (mode === "batched") this.#cancel ??= nextFrame(() => this.now());
    else if (leftMs > 0) this.#cancel ??= after(leftMs, () => this.now());
    else this.now();
  }

  now(): void {
    this.cancel();
    this.#flushedAt = Date.now();
    this.#flush();
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
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
