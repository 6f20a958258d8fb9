import { AppError } from "../errors.ts";
import type { Log } from "../log.ts";

export type IndexerRow = Record<string, unknown>;

export type IndexerOptions = {
  /** Base URL, without a slash at the end. */
  url: string;
  /** What frees this client from the indexer's public limits; undefined where it has none. */
  token: string | undefined;
  log: Log;
  /** The last block that this process wrote to; lists wait for the indexer to reach it. */
  lastWritten: () => number;
};

/** How long a list waits for the caller's own writes to be indexed, in milliseconds. */
const patienceMs = 10_000;
const pollMs = 40;
const timeoutMs = 20_000;

/** Reads the indexer's tables (indexer/schema/) by SQL over HTTP. Column names are in snake case there. */
export class IndexerClient {
  readonly #options: IndexerOptions;
  #reached = 0;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /**
   * Rows of one SELECT with parameters $1, $2, …; wide integers come as text.
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

  /** Number of the newest block that the indexer has taken in. */
  async reachedBlock(): Promise<number> {
    const status = (await this.#get(this.#urlOf("/status"))) as Record<string, { block: { number: number } }>;
    return Object.values(status)[0]?.block.number ?? 0;
  }

  async #reachOwnWrites(): Promise<void> {
    const wanted = this.#options.lastWritten();
    const until = Date.now() + patienceMs;
    // A chain that was rewound may never reach the old number again; then the answer is what there is.
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

/** Collects the parameters of a statement while it is written: `${p(value)}` gives `$1`, `$2`, …. */
export function parameters(): { values: unknown[]; add: (value: unknown) => string } {
  const values: unknown[] = [];
  return { values, add: (value) => `$${values.push(value)}` };
}

export const big = (value: unknown): bigint => BigInt(String(value));
export const int = (value: unknown): number => Number(value);
export const text = (value: unknown): string => String(value);
