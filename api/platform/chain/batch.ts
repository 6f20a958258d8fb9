import { AppError } from "../errors.ts";
import type { Chain } from "./chain.ts";
import type { ContractName } from "./contracts.ts";
import type { MinedCall } from "./outbox.ts";
import { PendingTransactionError } from "./pending-transaction-error.ts";
import { errorFromRevert } from "./reverts.ts";
import type { SenderName } from "./senders.ts";
import { chainUnavailable, encodeCall } from "./submit.ts";
import type { ChainTransaction } from "./tables.ts";

/** What a batch of one kind of order is. Every function takes the orders of one batch together. */
export type BatchPlan<Order, Outcome> = {
  purpose: string;
  sender: SenderName;
  contract: ContractName;
  functionName: string;
  /** Most orders in one transaction. */
  maxOrders: number;
  /** How long to gather after the first order, in milliseconds. */
  gatherMs: number;
  /** Puts orders side by side that are cheaper in sequence. Absent: as they came. */
  compare?: (a: Order, b: Order) => number;
  /** Gas that one order can need at most. */
  gasOf: (order: Order) => bigint;
  /** The ledger's early verdicts, one for each order; null for none. One call, whatever the number. */
  review: (orders: Order[]) => Promise<(AppError | null)[]>;
  argsOf: (orders: Order[]) => readonly unknown[];
  /** One outcome or refusal for each order, in order, from the transaction's logs. */
  read: (mined: MinedCall) => (Outcome | AppError)[];
};

type Entry<Order, Outcome> = {
  order: Order;
  idempotencyKey: string | undefined;
  /** Set once a common transaction was reverted: whichever order did that spoils no other any more. */
  alone: boolean;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
};

const baseGas = 150_000n;
/** Transactions on their way at once. The next ones gather until one of these is in a block. */
const maxInFlight = 4;

/**
 * Gathers what arrives while a transaction is on its way and settles it together: one review, one stored transaction, one receipt
 * for many callers. A refused order is its own caller's matter and never spoils the others.
 */
export class BatchCollector<Order, Outcome> {
  readonly #chain: Chain;
  readonly #plan: BatchPlan<Order, Outcome>;
  #queue: Entry<Order, Outcome>[] = [];
  #pumping = false;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(chain: Chain, plan: BatchPlan<Order, Outcome>) {
    this.#chain = chain;
    this.#plan = plan;
  }

  /**
   * Settle one order together with the others that wait.
   * @throws AppError the ledger's refusal of this order
   * @throws PendingTransactionError when the block does not come within TX_WAIT_MS
   */
  submit(order: Order): Promise<Outcome> {
    return this.#settle(order, undefined);
  }

  /**
   * Settle the order that `prepare` returns, unless an earlier attempt of the same request was stored: then return its outcome.
   * @throws as `submit`
   */
  async once(idempotencyKey: string | undefined, prepare: () => Promise<Order>): Promise<Outcome> {
    const earlier = await this.#chain.outbox.earlierOutcome(idempotencyKey);
    const outcome = earlier && this.#plan.read(earlier.mined)[earlier.position];
    if (outcome instanceof AppError) throw outcome;
    return outcome ?? (await this.#settle(await prepare(), idempotencyKey));
  }

  #settle(order: Order, idempotencyKey: string | undefined): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ order, idempotencyKey, alone: false, resolve, reject });
    });
  }

  #enqueue(...entries: Entry<Order, Outcome>[]): void {
    this.#queue.push(...entries);
    if (!this.#pumping) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    while (this.#queue.length > 0) {
      if (this.#queue.length < this.#plan.maxOrders) await sleep(this.#plan.gatherMs);
      while (this.#inFlight.size >= maxInFlight) await Promise.race(this.#inFlight);
      const entries = this.#arrange(this.#take());
      try {
        await this.#launch(entries);
      } catch (error) {
        for (const entry of entries) entry.reject(error);
      }
    }
    this.#pumping = false;
  }

  /** As many as fit into one transaction of half a block. */
  #take(): Entry<Order, Outcome>[] {
    const blockGas = this.#chain.head.latest?.gasLimit ?? 30_000_000n;
    let gas = baseGas;
    let count = 0;
    for (const { order, alone } of this.#queue.slice(0, this.#plan.maxOrders)) {
      gas += this.#plan.gasOf(order);
      if (count > 0 && (alone || this.#queue[0]?.alone || gas > blockGas / 2n)) break;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  #arrange(entries: Entry<Order, Outcome>[]): Entry<Order, Outcome>[] {
    const { compare } = this.#plan;
    return compare === undefined ? entries : entries.sort((a, b) => compare(a.order, b.order));
  }

  /** Review and store; the wait for the block goes on beside the next batch. */
  async #launch(entries: Entry<Order, Outcome>[]): Promise<void> {
    const { outbox } = this.#chain;
    await outbox.open();
    const accepted = await this.#review(entries);
    if (accepted.length === 0) return;
    const { purpose, sender, contract, functionName, argsOf, gasOf } = this.#plan;
    const orders = accepted.map((entry) => entry.order);
    const parts = accepted.flatMap(({ idempotencyKey }, position) =>
      idempotencyKey === undefined ? [] : [{ idempotencyKey, position }],
    );
    const row = await outbox.store({
      account: this.#chain.senders[sender],
      to: this.#chain.addresses[contract],
      data: encodeCall(contract, functionName, argsOf(orders)),
      gas: orders.reduce((sum, order) => sum + gasOf(order), baseGas),
      contract,
      functionName,
      purpose,
      parts,
    });
    const delivery = outbox
      .deliver(row)
      .then(
        (mined) => this.#answer(accepted, mined),
        (error: unknown) => this.#fail(accepted, row, error),
      )
      .catch((error: unknown) => {
        for (const entry of accepted) entry.reject(error);
      })
      .finally(() => this.#inFlight.delete(delivery));
    this.#inFlight.add(delivery);
  }

  async #review(entries: Entry<Order, Outcome>[]): Promise<Entry<Order, Outcome>[]> {
    let verdicts: (AppError | null)[];
    try {
      verdicts = await this.#plan.review(entries.map((entry) => entry.order));
    } catch (error) {
      const refusal = error instanceof AppError ? error : errorFromRevert(error);
      if (refusal === undefined) throw chainUnavailable(error);
      if (entries.length === 1) throw refusal;
      return await this.#reviewSingly(entries);
    }
    return entries.filter((entry, i) => {
      const refusal = verdicts[i];
      if (refusal) entry.reject(refusal);
      return !refusal;
    });
  }

  /** When one order spoils the common review, each is reviewed alone, so that it is refused alone. */
  async #reviewSingly(entries: Entry<Order, Outcome>[]): Promise<Entry<Order, Outcome>[]> {
    const accepted: Entry<Order, Outcome>[] = [];
    for (const entry of entries) {
      try {
        accepted.push(...(await this.#review([entry])));
      } catch (error) {
        entry.reject(error);
      }
    }
    return accepted;
  }

  /** A common transaction that was reverted came to nothing, so each of its orders is tried again alone. */
  #fail(entries: Entry<Order, Outcome>[], row: ChainTransaction, error: unknown): void {
    if (error instanceof AppError && entries.length > 1) {
      this.#enqueue(...entries.map((entry) => ({ ...entry, alone: true })));
      return;
    }
    for (const [i, entry] of entries.entries()) {
      entry.reject(error instanceof PendingTransactionError ? new PendingTransactionError(row, i) : error);
    }
  }

  #answer(entries: Entry<Order, Outcome>[], mined: MinedCall): void {
    const outcomes = this.#plan.read(mined);
    for (const [i, entry] of entries.entries()) {
      const outcome = outcomes[i];
      if (outcome === undefined)
        entry.reject(new Error(`The ledger's log of ${mined.transactionHash} lacks order ${i}.`));
      else if (outcome instanceof AppError) entry.reject(outcome);
      else entry.resolve(outcome);
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
