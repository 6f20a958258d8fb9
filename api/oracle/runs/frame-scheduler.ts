import { performance } from "node:perf_hooks";

export type Flushable = { flush: (now: number) => void };

/** How often the load is looked at, in milliseconds. */
const sampleMs = 100;
/** How long text is gathered into one frame while the process is behind, in milliseconds. */
const behindMs = 15;
/** Share of time that the process is busy from which on it counts as behind. */
const busyShare = 0.6;

/**
 * Says when gathered text becomes a frame: at the end of the present round of events, so that what came in one read is one frame;
 * while the process is busy, all runs together every 15 ms, so that fewer and larger frames are written.
 */
export class FrameClock {
  readonly #due = new Set<Flushable>();
  readonly #sampler: NodeJS.Timeout;
  #armed = false;
  #behind = false;
  #before = performance.eventLoopUtilization();

  constructor() {
    this.#sampler = setInterval(() => {
      const now = performance.eventLoopUtilization();
      this.#behind = performance.eventLoopUtilization(now, this.#before).utilization > busyShare;
      this.#before = now;
    }, sampleMs).unref();
  }

  schedule(run: Flushable): void {
    this.#due.add(run);
    if (this.#armed) return;
    this.#armed = true;
    if (this.#behind) setTimeout(this.#flush, behindMs);
    else setImmediate(this.#flush);
  }

  readonly #flush = () => {
    this.#armed = false;
    const due = [...this.#due];
    this.#due.clear();
    const now = Date.now();
    for (const run of due) run.flush(now);
  };

  close(): void {
    clearInterval(this.#sampler);
  }
}
