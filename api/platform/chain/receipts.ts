import type { Hex, PublicClient, TransactionReceipt } from "viem";
import { TransactionReceiptNotFoundError } from "viem";
import type { HeadWatcher } from "./head.ts";

type Waiter = (receipt: TransactionReceipt) => void;

/** Waits for receipts of transactions and checks each of them once a block. */
export class ReceiptWatcher {
  readonly #client: PublicClient;
  readonly #waiting = new Map<Hex, Set<Waiter>>();
  #looking = false;
  #again = false;

  constructor(client: PublicClient, head: HeadWatcher) {
    this.#client = client;
    head.subscribe(() => void this.#look());
  }

  /** Return the receipt, or null while the transaction is not in a block. */
  async find(hash: Hex): Promise<TransactionReceipt | null> {
    try {
      return await this.#client.getTransactionReceipt({ hash });
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    }
  }

  /** Wait for the receipt; null after `timeoutMs` milliseconds. */
  wait(hash: Hex, timeoutMs: number): Promise<TransactionReceipt | null> {
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(hash) ?? new Set<Waiter>();
      this.#waiting.set(hash, waiters);
      const finish = (receipt: TransactionReceipt | null) => {
        clearTimeout(timer);
        waiters.delete(finish);
        if (waiters.size === 0 && this.#waiting.get(hash) === waiters) this.#waiting.delete(hash);
        resolve(receipt);
      };
      waiters.add(finish);
      const timer = setTimeout(() => {
        // The block may have come between two checks, or the node may have been unreachable.
        this.find(hash).then(finish, () => finish(null));
      }, timeoutMs);
      timer.unref();
    });
  }

  async #look(): Promise<void> {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = true;
    do {
      this.#again = false;
      await Promise.all([...this.#waiting.keys()].map((hash) => this.#lookFor(hash)));
    } while (this.#again);
    this.#looking = false;
  }

  async #lookFor(hash: Hex): Promise<void> {
    // The head watcher reports an outage; the next block triggers the next check.
    const receipt = await this.find(hash).catch(() => null);
    if (receipt !== null) for (const waiter of this.#waiting.get(hash) ?? []) waiter(receipt);
  }
}
