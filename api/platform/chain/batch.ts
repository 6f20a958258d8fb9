import { AppError } from "../errors.ts";
import type { Chain } from "./chain.ts";
import type { ContractName } from "./contracts.ts";
import type { MinedCall } from "./outbox.ts";
import { PendingTransactionError } from "./pending-transaction-error.ts";
import { errorFromRevert } from "./reverts.ts";
import type { SenderName } from "./senders.ts";
import { chainUnavailable, encodeCall } from "./submit.ts";
import type { ChainTransaction } from "./tables.ts";

/** How orders of one kind are settled together. Every function takes all orders of one batch. */
export type BatchPlan<Order, Outcome> = {
  purpose: string;
  sender: SenderName;
  contract: ContractName;
  functionName: string;
  /** Most orders in one transaction. */
  maxOrders: number;
  /** How long to gather after the first order, in milliseconds. */
  gatherMs: number;
  /** Sort order that places orders next to each other when that is cheaper. Absent: order of arrival. */
  compare?: (a: Order, b: Order) => number;
  /** Gas that one order can need at most. */
  gasOf: (order: Order) => bigint;
  /** Ask the contract in one call which orders it would refuse. One entry for each order; null for none. */
  review: (orders: Order[]) => Promise<(AppError | null)[]>;
  argsOf: (orders: Order[]) => readonly unknown[];
  /** Read one outcome or refusal for each order, in order, from the transaction's logs. */
  read: (mined: MinedCall) => (Outcome | AppError)[];
};

type Entry<Order, Outcome> = {
  order: Order;
  idempotencyKey: string | undefined;
  /** True after a shared transaction was reverted: the order is sent alone, so that it cannot make others fail again. */
  alone: boolean;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
};

const baseGas = 150_000n;
/** Most transactions that are not in a block yet. Further orders gather until one of them is. */
const maxInFlight = 4;

/**
 * Collects orders while a transaction is being mined and settles them together: one review, one stored transaction and one
 * receipt for many callers. A refused order fails for its caller only.
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
   * @throws AppError the contract's refusal of this order
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

  /** Remove from the queue as many orders as fit into one transaction of half a block. */
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

  /** Review and store the orders. The next batch starts while this one waits for its block. */
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

  /** Review each order alone after the shared review failed, so that only the faulty order is refused. */
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

  /** Handle a failed transaction. If it was shared and was reverted, try each of its orders again alone. */
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
