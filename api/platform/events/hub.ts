import type { Chain, Head } from "../chain/index.ts";
import type { Log } from "../log.ts";
import type { EventReader } from "./reader.ts";
import { BLOCKS_PER_READ } from "./reader.ts";
import type { EventPosition, SchemeEvent } from "./types.ts";

export type EventListener = (events: SchemeEvent[], through: bigint) => void;

/**
 * Follows the chain while there are listeners, and reads each block's logs once for all of them. A listener gets every block after
 * the one that `subscribe` returns; use `readRange` for earlier ones.
 */
export class EventHub {
  readonly #chain: Chain;
  readonly #reader: EventReader;
  readonly #log: Log;
  readonly #listeners = new Set<EventListener>();
  readonly #unsubscribe: () => void;
  #through: bigint | undefined;
  #wanted = 0n;
  #reading = false;

  constructor(chain: Chain, reader: EventReader, log: Log) {
    this.#chain = chain;
    this.#reader = reader;
    this.#log = log;
    this.#unsubscribe = chain.head.subscribe((head) => this.#onHead(head));
  }

  /** Subscribe to every block after `after`, the latest block now. */
  async subscribe(listener: EventListener): Promise<{ after: bigint; end: () => void }> {
    if (this.#listeners.size === 0) this.#through = (await this.#chain.latest()).number;
    this.#listeners.add(listener);
    return { after: this.#through ?? 0n, end: () => this.#listeners.delete(listener) };
  }

  /** Read the events of past blocks, both ends included, in parts. */
  async *readRange(fromBlock: bigint, toBlock: bigint): AsyncGenerator<{ events: SchemeEvent[]; through: bigint }> {
    for (let from = fromBlock; from <= toBlock; from += BLOCKS_PER_READ) {
      const last = from + BLOCKS_PER_READ - 1n;
      const through = last < toBlock ? last : toBlock;
      yield { events: await this.#reader.read(from, through), through };
    }
  }

  /** Check whether the chain still has the block of a position. */
  stands({ block, blockHash }: EventPosition): Promise<boolean> {
    return this.#reader.stands(block, blockHash);
  }

  close(): void {
    this.#unsubscribe();
    this.#listeners.clear();
  }

  #onHead(head: Head): void {
    this.#wanted = head.number;
    if (this.#listeners.size === 0 || this.#through === undefined) return;
    // A kill rewound the embedded chain: its blocks are mined again.
    if (head.number < this.#through) this.#through = head.number;
    if (!this.#reading) void this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    this.#reading = true;
    try {
      while (this.#through !== undefined && this.#through < this.#wanted && this.#listeners.size > 0) {
        const from = this.#through + 1n;
        const limit = from + BLOCKS_PER_READ - 1n;
        const to = limit < this.#wanted ? limit : this.#wanted;
        const events = await this.#reader.read(from, to);
        this.#through = to;
        for (const listener of this.#listeners) listener(events, to);
      }
    } catch (error) {
      // The next head triggers another read of the same blocks.
      this.#log.warn({ err: error }, "events could not be read");
    } finally {
      this.#reading = false;
    }
  }
}
