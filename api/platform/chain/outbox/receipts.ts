import type { Hex, PublicClient, TransactionReceipt } from "viem";
import { TransactionReceiptNotFoundError } from "viem";
import type { HeadWatcher } from "../node/head.ts";
import type { ChainTransaction } from "../tables.ts";

type TransactionVersions = Pick<ChainTransaction, "hash" | "replacedHashes">;

type Waiter = (receipt: TransactionReceipt) => void;

/** Waits for receipts of transactions and checks each of them once a block. */
export class ReceiptWatcher {
  readonly #client: PublicClient;
  readonly #head: HeadWatcher;
  readonly #confirmations: number;
  readonly #waiting = new Map<Hex, Set<Waiter>>();
  #looking = false;
  #again = false;

  /** @param confirmations how many blocks, the transaction's included, a receipt needs before a caller gets it */
  constructor(client: PublicClient, head: HeadWatcher, confirmations = 1) {
    this.#client = client;
    this.#head = head;
    this.#confirmations = confirmations;
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

  /** Return the receipt when its block has enough confirmations, or null. */
  async findConfirmed(hash: Hex): Promise<TransactionReceipt | null> {
    const receipt = await this.find(hash);
    return receipt !== null && this.isConfirmed(receipt) ? receipt : null;
  }

  /** Return the confirmed receipt of any version of a transaction, or null: a version with a higher fee replaces the one before it. */
  async findVersion({ hash, replacedHashes }: TransactionVersions): Promise<TransactionReceipt | null> {
    for (const version of [hash, ...replacedHashes]) {
      const receipt = await this.findConfirmed(version as Hex);
      if (receipt !== null) return receipt;
    }
    return null;
  }

  isConfirmed({ blockNumber }: Pick<TransactionReceipt, "blockNumber">): boolean {
    if (this.#confirmations <= 1) return true;
    return (this.#head.latest?.number ?? 0n) - blockNumber + 1n >= this.#confirmations;
  }

  /** Wait for the confirmed receipt; null after `timeoutMs` milliseconds. */
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
        this.findConfirmed(hash).then(finish, () => finish(null));
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
    const receipt = await this.findConfirmed(hash).catch(() => null);
    if (receipt !== null) for (const waiter of this.#waiting.get(hash) ?? []) waiter(receipt);
  }
}
