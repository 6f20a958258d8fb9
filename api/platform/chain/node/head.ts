import type { Hex, PublicClient } from "viem";
import type { Worker, Workers } from "../../workers/index.ts";
import { ChainNotices } from "./notices.ts";

export type Head = {
  number: bigint;
  timestamp: bigint;
  hash: Hex;
  parentHash: Hex;
  baseFee: bigint;
  gasLimit: bigint;
};
/** `isRewind`: the chain no longer has the block `previous`. */
type Listener = (head: Head, previous: Head | undefined, isRewind: boolean) => void;

export type HeadWatcherOptions = {
  /** Polling interval for new blocks when the node sends no notices, in milliseconds. */
  pollMs: number;
  /** URL of a node that sends notices of new blocks. */
  noticesFrom?: string | undefined;
  /**
   * How many polls in a row must show a lower block before the chain counts as rewound. Nodes behind one URL differ by some blocks,
   * so a lower block may only mean that another node has answered.
   */
  pollsBeforeRewind?: number;
  workers: Workers;
};

/** Polling interval while notices arrive, in milliseconds: a node that is rewound sends none. */
const besideNoticesMs = 2_000;

/** Follows the latest block and calls its listeners for each new one. */
export class HeadWatcher {
  readonly #client: PublicClient;
  readonly #options: HeadWatcherOptions;
  readonly #listeners = new Set<Listener>();
  #latest: Head | undefined;
  /** How many polls in a row have shown a lower block. */
  #lowerLooks = 0;
  #notices: ChainNotices | undefined;
  readonly #looking: Worker;

  constructor(client: PublicClient, options: HeadWatcherOptions) {
    this.#client = client;
    this.#options = options;
    const { pollMs, workers } = options;
    this.#looking = workers.add({
      name: "chain-head",
      everyMs: pollMs,
      run: async ({ pauseFor }) => {
        if (this.#notices?.areComing) pauseFor(besideNoticesMs);
        await this.#look();
      },
    });
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
      parentHash: block.parentHash,
      baseFee: block.baseFeePerGas ?? 0n,
      gasLimit: block.gasLimit,
    };
  }

  start(): void {
    const { noticesFrom } = this.#options;
    if (noticesFrom !== undefined)
      this.#notices = new ChainNotices(noticesFrom, "newHeads", () => this.#looking.nudge());
    this.#looking.start();
  }

  async close(): Promise<void> {
    this.#notices?.close();
    this.#listeners.clear();
    await this.#looking.close();
  }

  /** Call the listener for each new block. Returns a function that ends the subscription. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #look(): Promise<void> {
    const head = await this.fetch();
    const previous = this.#latest;
    if (head.hash === previous?.hash) {
      this.#lowerLooks = 0;
      return;
    }
    this.#lowerLooks = previous !== undefined && head.number < previous.number ? this.#lowerLooks + 1 : 0;
    if (this.#lowerLooks > 0 && this.#lowerLooks < (this.#options.pollsBeforeRewind ?? 1)) return;
    this.#lowerLooks = 0;
    const isRewind = previous !== undefined && (await this.#hasLost(previous, head));
    this.#latest = head;
    for (const listener of this.#listeners) listener(head, previous, isRewind);
  }

  /** Whether the chain of `head` lacks the block `previous`. */
  async #hasLost(previous: Head, head: Head): Promise<boolean> {
    if (head.number <= previous.number) return true;
    if (head.number === previous.number + 1n) return head.parentHash !== previous.hash;
    // The embedded chain is one node: it goes back only when it is started again, and then to a lower block.
    if (this.#options.noticesFrom !== undefined) return false;
    const block = await this.#client.getBlock({ blockNumber: previous.number });
    return block.hash !== previous.hash;
  }
}
