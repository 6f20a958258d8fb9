import type { Log } from "../../log.ts";
import { type CommitDeps, commitOrders, UnknownOutcomeError } from "./commit.ts";
import type { CommitOrder, Verdict } from "./order.ts";

type Entry = { order: CommitOrder; resolve: (verdict: Verdict) => void; reject: (error: unknown) => void };

export type CommitterOptions = CommitDeps & {
  log: Log;
  /** Transactions at once: one where a single connection serves the database. */
  lanes: number;
  /** Most orders in one transaction. */
  maxOrders?: number;
};

/**
 * Gathers the commits of concurrent writers into shared transactions: what arrives while one runs goes into the next together.
 * Each order keeps its own verdict, and one that makes its transaction fail is tried alone, so that it fails by itself.
 */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #queue: Entry[] = [];
  #running = 0;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** @throws UnknownOutcomeError when the change may have been committed; any other error when it was not */
  submit(order: CommitOrder): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ order, resolve, reject });
      if (this.#running < this.#options.lanes) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running += 1;
    // Callers that were woken together get to the queue before the batch is closed.
    await new Promise(setImmediate);
    for (;;) {
      const entries = this.#queue.splice(0, this.#options.maxOrders ?? 128);
      if (entries.length === 0) break;
      await this.#settle(entries);
    }
    this.#running -= 1;
  }

  async #settle(entries: Entry[]): Promise<void> {
    try {
      const verdicts = await commitOrders(
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
        "a shared commit failed; its orders are tried one by one",
      );
      for (const entry of entries) await this.#settle([entry]);
    }
  }
}
