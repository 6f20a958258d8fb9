import type { Hex, PublicClient } from "viem";
import type { Log } from "../log.ts";
import { ChainNotices } from "./notices.ts";

export type Head = { number: bigint; timestamp: bigint; hash: Hex; baseFee: bigint; gasLimit: bigint };
type Listener = (head: Head, previous: Head | undefined) => void;

export type HeadWatcherOptions = {
  /** How often a new block is looked for where the node does not tell of it, in milliseconds. */
  pollMs: number;
  /** A node at this URL is asked to tell of new blocks. */
  noticesFrom?: string | undefined;
  log: Log;
};

/** How often is looked beside the node's notices, in milliseconds: a node that is set back says nothing. */
const besideNoticesMs = 2_000;

/** Follows the latest block and tells its listeners of each new one. */
export class HeadWatcher {
  readonly #client: PublicClient;
  readonly #options: HeadWatcherOptions;
  readonly #listeners = new Set<Listener>();
  #latest: Head | undefined;
  #notices: ChainNotices | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #again = false;
  #closed = false;
  #failing = false;

  constructor(client: PublicClient, options: HeadWatcherOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** The last head seen; undefined before the first poll. */
  get latest(): Head | undefined {
    return this.#latest;
  }

  async fetch(): Promise<Head> {
    const block = await this.#client.getBlock({ blockTag: "latest" });
    return {
      number: block.number,
      timestamp: block.timestamp,
      hash: block.hash,
      baseFee: block.baseFeePerGas ?? 0n,
      gasLimit: block.gasLimit,
    };
  }

  start(): void {
    const { noticesFrom } = this.#options;
    if (noticesFrom !== undefined) this.#notices = new ChainNotices(noticesFrom, "newHeads", () => this.#look());
    this.#look();
  }

  close(): void {
    this.#closed = true;
    this.#notices?.close();
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  /** Returns what ends the subscription. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** One look at a time; what is told of during one is looked for after it. */
  #look(): void {
    this.#again = true;
    if (this.#looking) return;
    this.#looking = true;
    clearTimeout(this.#timer);
    void this.#lookOn();
  }

  async #lookOn(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      await this.#lookOnce();
    }
    this.#looking = false;
    const ms = this.#notices?.areComing ? besideNoticesMs : this.#options.pollMs;
    if (!this.#closed) this.#timer = setTimeout(() => this.#look(), ms);
  }

  async #lookOnce(): Promise<void> {
    try {
      const head = await this.fetch();
      this.#failing = false;
      const previous = this.#latest;
      if (head.hash === previous?.hash) return;
      this.#latest = head;
      for (const listener of this.#listeners) listener(head, previous);
    } catch (error) {
      // One line for an outage, not one for each look.
      if (!this.#failing && !this.#closed) this.#options.log.warn({ err: error }, "the chain does not answer");
      this.#failing = true;
    }
  }
}
