import type { StreamingMode } from "./types.ts";

/** A hidden page has no animation frames; this many milliseconds replace one. */
const hiddenMs = 100;

/** Combine changes into one `flush`: per animation frame when batched, per time window when throttled, none when immediate. */
export class Flusher {
  readonly #flush: () => void;
  #cancel: (() => void) | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(flush: () => void) {
    this.#flush = flush;
  }

  /** @param windowMs shortest time between two flushes when throttled, in milliseconds */
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

/** Wait for the next animation frame, or for a timer if none comes. */
function nextFrame(run: () => void): () => void {
  const frame = typeof requestAnimationFrame === "function" ? requestAnimationFrame(run) : undefined;
  const timer = setTimeout(run, hiddenMs);
  return () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
