export type FairQueueSettings = {
  /** Jobs that run at a time. */
  atATime: number;
  /** Jobs of one caller that run at a time. */
  perAsker: number;
};

type Asker = { waiting: (() => Promise<void>)[]; running: number; usedMs: number; usedAt: number };

/** Half-life of used time, in milliseconds. */
const halfLifeMs = 60_000;
/** A caller that has used more is slow. If there are two or more places, all slow callers together leave one to the others. */
const slowMs = 2_000;
/** Assumed duration of a job while another job of the same caller waits or runs. */
const expectedMs = 1_000;
const mostIdleAskers = 1_000;

/**
 * Runs a few jobs at a time. The caller that has used the least time recently, and requests the least, is first. So many slow
 * jobs of one caller delay others no longer than the jobs that already run.
 */
export class FairQueue {
  readonly #settings: FairQueueSettings;
  readonly #askers = new Map<string, Asker>();
  #running = 0;
  #waiting = 0;

  constructor(settings: FairQueueSettings) {
    this.#settings = settings;
  }

  /** Number of waiting jobs. */
  get size(): number {
    return this.#waiting;
  }

  /** Run the job in its turn. It must not reject. */
  add(name: string, work: () => Promise<void>): void {
    const asker = this.#askers.get(name) ?? { waiting: [], running: 0, usedMs: 0, usedAt: performance.now() };
    this.#askers.set(name, asker);
    asker.waiting.push(work);
    this.#waiting += 1;
    this.#begin();
  }

  #begin(): void {
    while (this.#running < this.#settings.atATime) {
      const asker = this.#next();
      const work = asker?.waiting.shift();
      if (asker === undefined || work === undefined) return;
      this.#waiting -= 1;
      void this.#run(asker, work);
    }
  }

  async #run(asker: Asker, work: () => Promise<void>): Promise<void> {
    this.#running += 1;
    asker.running += 1;
    const begin = performance.now();
    await work();
    const now = performance.now();
    asker.usedMs = usedBy(asker, now) + (now - begin);
    asker.usedAt = now;
    asker.running -= 1;
    this.#running -= 1;
    if (this.#askers.size > mostIdleAskers) this.#forgetIdle();
    this.#begin();
  }

  /** Find the next caller; undefined when every waiting caller already has its maximum. */
  #next(): Asker | undefined {
    const { atATime, perAsker } = this.#settings;
    const now = performance.now();
    const askers = [...this.#askers.values()].map((asker) => ({ asker, used: usedBy(asker, now) }));
    const slowRunning = askers.reduce((sum, { asker, used }) => sum + (used > slowMs ? asker.running : 0), 0);
    const mayBeSlow = atATime === 1 || slowRunning < atATime - 1;
    let best: { asker: Asker; score: number } | undefined;
    for (const { asker, used } of askers) {
      if (asker.waiting.length === 0 || asker.running >= perAsker || (used > slowMs && !mayBeSlow)) continue;
      const score = used + expectedMs * (asker.waiting.length - 1 + asker.running);
      if (best === undefined || score < best.score) best = { asker, score };
    }
    return best?.asker;
  }

  #forgetIdle(): void {
    for (const [name, { waiting, running }] of this.#askers) {
      if (waiting.length === 0 && running === 0) this.#askers.delete(name);
    }
  }
}

function usedBy({ usedMs, usedAt }: Asker, now: number): number {
  return usedMs * 0.5 ** ((now - usedAt) / halfLifeMs);
}
