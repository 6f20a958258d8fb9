import { setTimeout as sleep } from "node:timers/promises";
import { BatchQueue } from "../../../platform/batch-queue.ts";
import type { Log } from "../../../platform/log.ts";
import { type CommitDeps, commitBatch, UnknownOutcomeError } from "./commit-batch.ts";
import type { CommitOrder, Verdict } from "./commit-order.ts";

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
 * one.
 */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #maxOrders: number;
  readonly #queue: BatchQueue<CommitOrder, Verdict>;
  /** Writers that are storing their bytes and will submit next. */
  #announced = 0;
  /** How long the last shared transaction took, in milliseconds; 0 while there is only one writer at a time. */
  #lastSharedMs = 0;
  #full: (() => void) | undefined;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#maxOrders = options.maxOrders ?? 128;
    this.#queue = new BatchQueue({
      maxItems: this.#maxOrders,
      maxPending: options.lanes,
      gather: () => this.#gather(),
      start: async (entries) => ({ sent: entries, results: this.#commit(entries.map(({ item }) => item)) }),
      changedNothing: (error) => !(error instanceof UnknownOutcomeError),
    });
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
    const verdict = this.#queue.add(order);
    if (this.#queue.size >= this.#maxOrders || this.#announced === 0) this.#full?.();
    return verdict;
  }

  /** Wait until every order has its verdict. */
  drain(): Promise<void> {
    return this.#queue.drain();
  }

  /**
   * Wait for announced writers. A transaction takes about as long for one order as for fifty, so with many writers it is faster
   * for all to wait about that long. A single writer never waits.
   */
  async #gather(): Promise<void> {
    await new Promise(setImmediate);
    if (this.#announced === 0 || this.#lastSharedMs === 0) return;
    const arrived = new AbortController();
    this.#full = () => arrived.abort();
    await sleep(Math.min(longestGatherMs, 2 * this.#lastSharedMs), undefined, { signal: arrived.signal }).catch(
      () => {},
    );
    this.#full = undefined;
  }

  async #commit(orders: CommitOrder[]): Promise<Verdict[]> {
    const begun = performance.now();
    try {
      return await commitBatch(this.#options, orders);
    } catch (error) {
      if (orders.length > 1 && !(error instanceof UnknownOutcomeError)) {
        const message = "a shared commit failed; its orders are retried one by one";
        this.#options.log.warn({ err: error, orders: orders.length }, message);
      }
      throw error;
    } finally {
      this.#lastSharedMs = orders.length > 1 ? performance.now() - begun : 0;
    }
  }
}
