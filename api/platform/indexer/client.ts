import { AppError } from "../errors.ts";
import type { Log } from "../log.ts";

export type IndexerRow = Record<string, unknown>;

export type IndexerOptions = {
  /** Base URL, without a slash at the end. */
  url: string;
  /** Shared secret that exempts this client from the indexer's public limits; undefined: none. */
  token: string | undefined;
  log: Log;
  /** Return the last block with a write of this process; lists wait until the indexer has reached it. */
  lastWritten: () => number;
};

/** Longest time that a list waits for this process's writes to be indexed, in milliseconds. */
const maxWaitMs = 10_000;
const pollMs = 40;
const timeoutMs = 20_000;

/** Reads the indexer's tables (indexer/schema/) by SQL over HTTP. Column names are in snake case. */
export class IndexerClient {
  readonly #options: IndexerOptions;
  #reached = 0;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /**
   * Run one SELECT with parameters $1, $2, … and return its rows. Wide integers are text.
   * @throws AppError UNAVAILABLE when the indexer does not answer
   */
  async query(sql: string, params: unknown[]): Promise<IndexerRow[]> {
    await this.#reachOwnWrites();
    const url = this.#urlOf("/sql/db");
    const json = { sql, params: params.map((value) => (typeof value === "bigint" ? value.toString() : value)) };
    url.searchParams.set("sql", JSON.stringify({ json }));
    const { rows } = (await this.#get(url)) as { rows: IndexerRow[] };
    return rows;
  }

  /** Return the number of the newest indexed block. */
  async reachedBlock(): Promise<number> {
    const status = (await this.#get(this.#urlOf("/status"))) as Record<string, { block: { number: number } }>;
    return Object.values(status)[0]?.block.number ?? 0;
  }

  async #reachOwnWrites(): Promise<void> {
    const wanted = this.#options.lastWritten();
    const until = Date.now() + maxWaitMs;
    // A rewound chain may never reach the old number again; then the list is returned as it is after the wait.
    while (this.#reached < wanted && Date.now() < until) {
      this.#reached = await this.reachedBlock();
      if (this.#reached < wanted) await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  #urlOf(path: string): URL {
    const url = new URL(`${this.#options.url}${path}`);
    if (this.#options.token !== undefined) url.searchParams.set("token", this.#options.token);
    return url;
  }

  async #get(url: URL): Promise<unknown> {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
      if (answer.ok) return await answer.json();
      throw new Error(`The indexer answers ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
    } catch (cause) {
      throw new AppError("UNAVAILABLE", "The index of the chain does not answer; try again in a moment.", {
        cause,
        headers: { "Retry-After": "2" },
      });
    }
  }
}

/** Create a collector of a statement's parameters: `add(value)` returns `$1`, `$2`, …. */
export function parameters(): { values: unknown[]; add: (value: unknown) => string } {
  const values: unknown[] = [];
  return { values, add: (value) => `$${values.push(value)}` };
}

export const big = (value: unknown): bigint => BigInt(String(value));
export const int = (value: unknown): number => Number(value);
export const text = (value: unknown): string => String(value);
