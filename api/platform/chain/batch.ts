import { setTimeout as sleep } from "node:timers/promises";
import { type BatchEntry, BatchQueue } from "../batch-queue.ts";
import type { Transaction } from "../db/index.ts";
import { AppError } from "../errors.ts";
import { type TracePlace, traced, tracedTogether, tracePlace } from "../tracing/index.ts";
import { chainUnavailable } from "../unavailable.ts";
import type { Chain } from "./chain.ts";
import type { ContractName } from "./contracts.ts";
import { PendingTransactionError } from "./errors/pending-transaction-error.ts";
import { errorFromRevert } from "./errors/reverts.ts";
import type { MinedCall } from "./outbox/outbox.ts";
import type { SenderName } from "./signers/senders.ts";
import { encodeCall } from "./submit.ts";

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
  /** Orders with the same key are settled in different transactions, one after the other. Absent: all can share one. */
  keyOf?: (order: Order) => string;
  /** Sort order that places orders next to each other when that is cheaper. Absent: order of arrival. */
  compare?: (a: Order, b: Order) => number;
  /** Gas that one order can need at most. */
  gasOf: (order: Order) => bigint;
  /** Ask the contract in one call which orders it would refuse. One entry for each order; null for none. */
  review: (orders: Order[]) => Promise<(AppError | null)[]>;
  argsOf: (orders: Order[]) => readonly unknown[];
  /** Writes that are committed together with the transaction in the outbox; `orders` by their positions. */
  alsoStore?: (tx: Transaction, transactionId: number, orders: Order[]) => Promise<void>;
  /** Read one outcome or refusal for each order, in order, from the transaction's logs. */
  read: (mined: MinedCall) => (Outcome | AppError)[];
};

type Item<Order> = { order: Order; idempotencyKey: string | undefined; place: TracePlace };
type Entry<Order> = BatchEntry<Item<Order>>;

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
  readonly #queue: BatchQueue<Item<Order>, Outcome>;

  constructor(chain: Chain, plan: BatchPlan<Order, Outcome>) {
    this.#chain = chain;
    this.#plan = plan;
    this.#queue = new BatchQueue({
      maxItems: plan.maxOrders,
      countFitting: (items) => this.#countFitting(items),
      maxPending: maxInFlight,
      gather: () => sleep(plan.gatherMs),
      start: (entries) => this.#launch(entries),
      // The transaction was reverted, or the node refused it.
      changedNothing: (error) => error instanceof AppError,
    });
  }

  /**
   * Settle one order together with the others that wait.
   * @throws AppError the contract's refusal of this order
   * @throws PendingTransactionError when the block does not come within TX_WAIT_MS
   */
  submit(order: Order): Promise<Outcome> {
    return this.#add(order, undefined);
  }

  /**
   * Settle the order that `prepare` returns, unless an earlier attempt of the same request was stored: then return its outcome.
   * @throws as `submit`
   */
  async once(idempotencyKey: string | undefined, prepare: () => Promise<Order>): Promise<Outcome> {
    const earlier = await this.#chain.outbox.earlierOutcome(idempotencyKey);
    const outcome = earlier && this.#plan.read(earlier.mined)[earlier.position];
    if (outcome instanceof AppError) throw outcome;
    return outcome ?? (await this.#add(await prepare(), idempotencyKey));
  }

  #add(order: Order, idempotencyKey: string | undefined): Promise<Outcome> {
    return traced("outbox.batch", { "hearth.purpose": this.#plan.purpose }, () =>
      this.#queue.add({ order, idempotencyKey, place: tracePlace() }),
    );
  }

  /** Count the orders that fit into one transaction of half a block and have different keys. */
  #countFitting(items: readonly Item<Order>[]): number {
    const { gasOf, keyOf } = this.#plan;
    const blockGas = this.#chain.head.latest?.gasLimit ?? 30_000_000n;
    const keys = new Set<string>();
    let gas = baseGas;
    let count = 0;
    for (const { order } of items) {
      gas += gasOf(order);
      if (count > 0 && gas > blockGas / 2n) break;
      const key = keyOf?.(order);
      if (key !== undefined && keys.has(key)) break;
      if (key !== undefined) keys.add(key);
      count++;
    }
    return count;
  }

  #arrange<E extends Entry<Order>>(entries: E[]): E[] {
    const { compare } = this.#plan;
    return compare === undefined ? entries : entries.sort((a, b) => compare(a.item.order, b.item.order));
  }

  /** Review and store the orders. The next batch starts while this one waits for its block. */
  async #launch<E extends Entry<Order>>(entries: E[]): Promise<{ sent: E[]; results: Promise<(Outcome | Error)[]> }> {
    await this.#chain.outbox.open();
    const sent = await this.#review(this.#arrange(entries));
    if (sent.length === 0) return { sent, results: Promise.resolve([]) };
    const attributes = { "hearth.purpose": this.#plan.purpose, "hearth.orders": sent.length };
    const places = sent.map(({ item }) => item.place);
    return await tracedTogether("outbox.send", attributes, places, () => this.#store(sent));
  }

  async #store<E extends Entry<Order>>(sent: E[]): Promise<{ sent: E[]; results: Promise<(Outcome | Error)[]> }> {
    const { outbox } = this.#chain;
    const { purpose, sender, contract, functionName, argsOf, gasOf, alsoStore } = this.#plan;
    const orders = sent.map(({ item }) => item.order);
    const parts = sent.flatMap(({ item: { idempotencyKey } }, position) =>
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
      alsoStore: alsoStore && ((tx, transactionId) => alsoStore(tx, transactionId, orders)),
    });
    const results = outbox.deliver(row).then(
      (mined) => this.#outcomes(mined, sent.length),
      (error: unknown) => {
        if (!(error instanceof PendingTransactionError)) throw error;
        return sent.map((_, position) => new PendingTransactionError(row, position));
      },
    );
    return { sent, results };
  }

  async #review<E extends Entry<Order>>(entries: E[]): Promise<E[]> {
    let verdicts: (AppError | null)[];
    try {
      verdicts = await this.#plan.review(entries.map(({ item }) => item.order));
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
  async #reviewSingly<E extends Entry<Order>>(entries: E[]): Promise<E[]> {
    const accepted: E[] = [];
    for (const entry of entries) {
      try {
        accepted.push(...(await this.#review([entry])));
      } catch (error) {
        entry.reject(error);
      }
    }
    return accepted;
  }

  #outcomes(mined: MinedCall, count: number): (Outcome | Error)[] {
    const outcomes: (Outcome | Error)[] = this.#plan.read(mined);
    for (let i = outcomes.length; i < count; i++) {
      outcomes.push(new Error(`The ledger's log of ${mined.transactionHash} lacks order ${i}.`));
    }
    return outcomes;
  }
}
