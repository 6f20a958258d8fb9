import type { Hex, PublicClient } from "viem";
import type { Log } from "../log.ts";

export type Head = { number: bigint; timestamp: bigint; hash: Hex; baseFee: bigint; gasLimit: bigint };
type Listener = (head: Head, previous: Head | undefined) => void;

/** Follows the latest block by polling and tells its listeners of each new one. */
export class HeadWatcher {
  readonly #client: PublicClient;
  readonly #pollMs: number;
  readonly #log: Log;
  readonly #listeners = new Set<Listener>();
  #latest: Head | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #failing = false;

  constructor(client: PublicClient, options: { pollMs: number; log: Log }) {
    this.#client = client;
    this.#pollMs = options.pollMs;
    this.#log = options.log;
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
    void this.#poll();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  /** Returns what ends the subscription. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #poll(): Promise<void> {
    try {
      const head = await this.fetch();
      this.#failing = false;
      const previous = this.#latest;
      if (head.hash !== previous?.hash) {
        this.#latest = head;
        for (const listener of this.#listeners) listener(head, previous);
      }
    } catch (error) {
      // One line for an outage, not one for each poll.
      if (!this.#failing && !this.#closed) this.#log.warn({ err: error }, "the chain does not answer");
      this.#failing = true;
    }
    if (!this.#closed) this.#timer = setTimeout(() => void this.#poll(), this.#pollMs);
  }
}
