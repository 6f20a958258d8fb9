/** One caller's item. It is settled once; `start` may reject it before its batch is sent. */
export type BatchEntry<Item> = { readonly item: Item; reject: (error: unknown) => void };

type Waiting<Item, Result> = BatchEntry<Item> & {
  /** True after a shared batch failed: the item is sent alone, so that it cannot make others fail again. */
  alone: boolean;
  resolve: (result: Result) => void;
};

export type BatchQueueOptions<Item, Result> = {
  /** Most items in one batch. */
  maxItems: number;
  /** How many of these items, the oldest first, one batch can hold; at least 1. Absent: all. */
  countFitting?: (items: readonly Item[]) => number;
  /** Most batches without a result. Items wait while there are as many, so callers that await them are slowed down. */
  maxPending: number;
  /** Wait for items that will be added soon. Not called for a full batch, nor for an item that is sent alone. */
  gather: () => Promise<void>;
  /**
   * Send a batch. The next batch is taken once this resolves, so batches are sent in order.
   * @returns the entries that were sent, and one result or error for each of them, in order
   */
  start: <Entry extends BatchEntry<Item>>(
    entries: Entry[],
  ) => Promise<{ sent: Entry[]; results: Promise<(Result | Error)[]> }>;
  /** Return true when a batch that failed with this error changed nothing: then its items are sent one by one. */
  changedNothing: (error: unknown) => boolean;
};

/**
 * Collects small writes of concurrent callers into batches. Items are taken in the order in which they were added, and each
 * caller gets the result for its item. If a shared batch fails, its items are sent again one by one, so that only the bad
 * one fails.
 */
export class BatchQueue<Item, Result> {
  readonly #options: BatchQueueOptions<Item, Result>;
  readonly #waiting: Waiting<Item, Result>[] = [];
  readonly #pending = new Set<Promise<void>>();
  #running: Promise<void> | undefined;

  constructor(options: BatchQueueOptions<Item, Result>) {
    this.#options = options;
  }

  /** Number of items that are not in a batch yet. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Send an item with others. @throws its error, or the error of its batch */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, alone: false, resolve, reject });
      this.#wake();
    });
  }

  /** Wait until every item has its result. */
  async drain(): Promise<void> {
    while (this.#running !== undefined || this.#pending.size > 0) {
      await this.#running;
      await Promise.all(this.#pending);
    }
  }

  #wake(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    const { maxItems, maxPending, gather } = this.#options;
    while (this.#waiting.length > 0) {
      while (this.#pending.size >= maxPending) await Promise.race(this.#pending);
      if (!this.#waiting[0]?.alone && this.#waiting.length < maxItems) await gather();
      await this.#send(this.#take());
    }
    this.#running = undefined;
  }

  #take(): Waiting<Item, Result>[] {
    const { maxItems, countFitting } = this.#options;
    if (this.#waiting[0]?.alone) return this.#waiting.splice(0, 1);
    const end = this.#waiting.findIndex(({ alone }, i) => alone || i === maxItems);
    const shared = end === -1 ? this.#waiting : this.#waiting.slice(0, end);
    const count = countFitting === undefined ? shared.length : countFitting(shared.map(({ item }) => item));
    return this.#waiting.splice(0, Math.max(1, count));
  }

  async #send(entries: Waiting<Item, Result>[]): Promise<void> {
    try {
      const { sent, results } = await this.#options.start(entries);
      const settled = results
        .then(
          (list) => settle(sent, list),
          (error: unknown) => this.#fail(sent, error),
        )
        .finally(() => this.#pending.delete(settled));
      this.#pending.add(settled);
    } catch (error) {
      for (const entry of entries) entry.reject(error);
    }
  }

  #fail(entries: Waiting<Item, Result>[], error: unknown): void {
    if (entries.length > 1 && this.#options.changedNothing(error)) {
      this.#waiting.unshift(...entries.map((entry) => ({ ...entry, alone: true })));
      this.#wake();
    } else for (const entry of entries) entry.reject(error);
  }
}

function settle<Item, Result>(entries: Waiting<Item, Result>[], results: (Result | Error)[]): void {
  for (const [i, entry] of entries.entries()) {
    const result = results[i];
    if (result === undefined) entry.reject(new Error(`The batch gave no result for item ${i}.`));
    else if (result instanceof Error) entry.reject(result);
    else entry.resolve(result);
  }
}
