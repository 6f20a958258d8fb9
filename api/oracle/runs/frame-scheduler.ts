import { performance } from "node:perf_hooks";

export type Flushable = { flush: (now: number) => void };

/** How often the load is measured, in milliseconds. */
const sampleMs = 100;
/** How long text is collected into one frame while the process is busy, in milliseconds. */
const busyMs = 15;
/** Event loop utilisation above which the process counts as busy. */
const busyShare = 0.6;

/**
 * Decides when collected text becomes a frame: at the end of this turn of the event loop, so that what came in one read is one
 * frame. While the process is busy, every 15 ms for all runs together, so that there are fewer and larger frames.
 */
export class FrameScheduler {
  readonly #due = new Set<Flushable>();
  readonly #sampler: NodeJS.Timeout;
  #isScheduled = false;
  #isBusy = false;
  #lastSample = performance.eventLoopUtilization();

  constructor() {
    this.#sampler = setInterval(() => {
      const now = performance.eventLoopUtilization();
      this.#isBusy = performance.eventLoopUtilization(now, this.#lastSample).utilization > busyShare;
      this.#lastSample = now;
    }, sampleMs).unref();
  }

  schedule(run: Flushable): void {
    this.#due.add(run);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    if (this.#isBusy) setTimeout(this.#flush, busyMs);
    else setImmediate(this.#flush);
  }

  readonly #flush = () => {
    this.#isScheduled = false;
    const due = [...this.#due];
    this.#due.clear();
    const now = Date.now();
    for (const run of due) run.flush(now);
  };

  close(): void {
    clearInterval(this.#sampler);
  }
}
