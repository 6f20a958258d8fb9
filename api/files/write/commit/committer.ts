import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../../platform/log.ts";
import { type CommitDeps, commitBatch, UnknownOutcomeError } from "./commit-batch.ts";
import type { CommitOrder, Verdict } from "./commit-order.ts";

type Entry = { order: CommitOrder; resolve: (verdict: Verdict) => void; reject: (error: unknown) => void };

export type CommitterOptions = CommitDeps & {
  log: Log;
  /** Most concurrent transactions; 1 if the database has a single connection. */
  lanes: number;
  /** Most orders in one transaction. */
  maxOrders?: number;
};

/** Longest wait for writers that will submit soon, in milliseconds. */
const longestGatherMs = 25;

/**
 * Commits the orders of concurrent writers in shared transactions: orders that arrive while a transaction runs share the next
 * one. Each order gets its own result. If a shared transaction fails, its orders are retried one by one, so that only the bad one
 * fails.
 */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #maxOrders: number;
  readonly #queue: Entry[] = [];
  #running = 0;
  /** Writers that are storing their bytes and will submit next. */
  #announced = 0;
  /** How long the last shared transaction took, in milliseconds; 0 while there is only one writer at a time. */
  #lastSharedMs = 0;
  #full: (() => void) | undefined;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#maxOrders = options.maxOrders ?? 128;
  }

  /** Run a write's work before its commit. Transactions wait briefly for its order. */
  async announce<T>(work: () => Promise<T>): Promise<T> {
    this.#announced += 1;
    try {
      return await work();
    } finally {
      this.#announced -= 1;
    }
  }

  /** @throws UnknownOutcomeError when the change may have been committed; any other error when it was not */
  submit(order: CommitOrder): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ order, resolve, reject });
      if (this.#queue.length >= this.#maxOrders || this.#announced === 0) this.#full?.();
      if (this.#running < this.#options.lanes) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running += 1;
    for (;;) {
      await this.#gather();
      const entries = this.#queue.splice(0, this.#maxOrders);
      if (entries.length === 0) break;
      const begun = performance.now();
      await this.#settle(entries);
      this.#lastSharedMs = entries.length > 1 ? performance.now() - begun : 0;
    }
    this.#running -= 1;
  }

  /**
   * Wait for announced writers. A transaction takes about as long for one order as for fifty, so with many writers it is faster
   * for all to wait about that long. A single writer never waits.
   */
  async #gather(): Promise<void> {
    await new Promise(setImmediate);
    if (this.#queue.length === 0 || this.#announced === 0 || this.#lastSharedMs === 0 || this.#full !== undefined)
      return;
    const arrived = new AbortController();
    this.#full = () => arrived.abort();
    await sleep(Math.min(longestGatherMs, 2 * this.#lastSharedMs), undefined, { signal: arrived.signal }).catch(
      () => {},
    );
    this.#full = undefined;
  }

  async #settle(entries: Entry[]): Promise<void> {
    try {
      const verdicts = await commitBatch(
        this.#options,
        entries.map(({ order }) => order),
      );
      for (const [i, entry] of entries.entries()) entry.resolve(verdicts[i] as Verdict);
    } catch (error) {
      const [only, ...others] = entries;
      if (error instanceof UnknownOutcomeError || (only !== undefined && others.length === 0)) {
        for (const entry of entries) entry.reject(error);
        return;
      }
      this.#options.log.warn(
        { err: error, orders: entries.length },
        "a shared commit failed; its orders are retried one by one",
      );
      for (const entry of entries) await this.#settle([entry]);
    }
  }
}
