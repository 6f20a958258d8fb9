import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { FileEvent } from "./event.ts";

export type ReadEventsOptions = {
  clock: Clock;
  log: Log;
  readSample: number;
  record: (events: readonly FileEvent[]) => Promise<void>;
};

/** How long reads are buffered, in milliseconds. */
const flushMs = 1000;
/** Public responses may be cached for this long, so reads of the same bytes within it are one event. Milliseconds. */
const publicMs = 60_000;
/** Most buffered reads. Further ones are dropped, and their number is logged. */
const mostWaiting = 10_000;

/**
 * Buffers read events and writes them in batches, so that a read never waits for the audit. Not a BatchQueue: no reader awaits a
 * result, and a full buffer drops events instead of slowing readers down.
 */
export class ReadEvents {
  readonly #options: ReadEventsOptions;
  #waiting: FileEvent[] = [];
  #dropped = 0;
  readonly #lastPublic = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: ReadEventsOptions) {
    this.#options = options;
  }

  note(event: FileEvent): void {
    const isWanted = event.kind === "public.read" ? this.#isFirstOfMinute(event) : this.#isSampled();
    if (!isWanted) return;
    if (this.#waiting.length >= mostWaiting) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(event);
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  /** Write the buffered events. A failure is only logged, because reads have no transaction to roll back. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  async close(): Promise<void> {
    await this.flush();
  }

  async #write(): Promise<void> {
    const events = this.#waiting.splice(0);
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) this.#options.log.warn({ dropped }, "reads came faster than their events could be written");
    if (events.length === 0) return;
    try {
      await this.#options.record(events);
    } catch (error) {
      this.#options.log.error({ err: error, events: events.length }, "the events of reads could not be written");
    }
  }

  #isSampled(): boolean {
    const { readSample } = this.#options;
    return readSample >= 1 || Math.random() < readSample;
  }

  #isFirstOfMinute({ fileId, version }: FileEvent): boolean {
    const now = this.#options.clock.now().getTime();
    const key = `${fileId}:${version}`;
    const last = this.#lastPublic.get(key);
    if (last !== undefined && now - last < publicMs) return false;
    // Entries are in the order of time, the oldest first.
    this.#lastPublic.delete(key);
    this.#lastPublic.set(key, now);
    for (const [old, at] of this.#lastPublic) {
      if (now - at < publicMs) break;
      this.#lastPublic.delete(old);
    }
    return true;
  }
}
