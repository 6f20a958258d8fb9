import type { SearchResults } from "../../../wire/src/reports.ts";
import { AppError } from "../errors.ts";
import type { Log } from "../log.ts";
import { traced } from "../tracing/index.ts";

export type IndexerRow = Record<string, unknown>;

export type IndexerOptions = {
  /** Base URL, without a slash at the end. */
  url: string;
  /** Shared secret that exempts this client from the indexer's public limits; undefined: none. */
  token: string | undefined;
  log: Log;
  /** Return the last block with a write of the service; lists wait until the indexer has reached it. */
  lastWritten: () => number | Promise<number>;
};

/** Longest time that a list waits for the service's writes to be indexed, in milliseconds. */
const maxWaitMs = 10_000;
const pollMs = 40;
const timeoutMs = 20_000;
/** How often a trace asks whether the index has a block, in milliseconds. */
const traceEveryMs = 250;

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
    return await traced("index.query", {}, () => this.#query(sql, params));
  }

  /**
   * Search the index's public records.
   * @throws AppError UNAVAILABLE when the indexer does not answer
   */
  async search(q: string): Promise<SearchResults> {
    await this.#reachLastWrite();
    const url = this.#urlOf("/reports/search");
    url.searchParams.set("q", q);
    return (await this.#get(url)) as SearchResults;
  }

  /** Wait until the index has a block, in a span of the current trace. Without an answer in time the span fails. */
  async traceBlock(block: bigint): Promise<void> {
    await traced("index.block", { "hearth.block": Number(block) }, async () => {
      for (const until = Date.now() + maxWaitMs; this.#reached < block; ) {
        this.#reached = Math.max(this.#reached, await this.reachedBlock());
        if (this.#reached >= block) return;
        if (Date.now() > until) throw new Error(`The index has not reached block ${block}.`);
        await new Promise((resolve) => setTimeout(resolve, traceEveryMs));
      }
    });
  }

  async #query(sql: string, params: unknown[]): Promise<IndexerRow[]> {
    await this.#reachLastWrite();
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

  async #reachLastWrite(): Promise<void> {
    const wanted = await this.#options.lastWritten();
    const until = performance.now() + maxWaitMs;
    // A rewound chain may never reach the old number again; then the list is returned as it is after the wait.
    while (this.#reached < wanted && performance.now() < until) {
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

/** SQL conditions for a column of unix seconds: from one moment, and before another, both with their offset from UTC. */
export function during(
  column: string,
  from: string | undefined,
  before: string | undefined,
  add: (value: unknown) => string,
): string[] {
  const seconds = (moment: string) => BigInt(Math.ceil(Date.parse(moment) / 1000));
  return [
    ...(from === undefined ? [] : [`${column} >= ${add(seconds(from))}`]),
    ...(before === undefined ? [] : [`${column} < ${add(seconds(before))}`]),
  ];
}

export const big = (value: unknown): bigint => BigInt(String(value));
export const int = (value: unknown): number => Number(value);
export const text = (value: unknown): string => String(value);
