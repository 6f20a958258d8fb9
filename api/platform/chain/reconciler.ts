import { type Hex, parseTransaction, type TransactionReceipt } from "viem";
import { AppError } from "../errors.ts";
import type { Worker, Workers } from "../workers/index.ts";
import { broadcast } from "./broadcast.ts";
import { raise } from "./fees.ts";
import type { Head } from "./head.ts";
import type { Outbox } from "./outbox.ts";
import * as store from "./outbox-store.ts";
import type { Senders } from "./senders.ts";
import type { ChainTransaction } from "./tables.ts";

/** How many blocks a regular check goes back. The check at start goes back to the first block. */
const regularDepth = 256;
/** Age at which an open transaction is sent again, in milliseconds; until then its own caller handles it. */
const resendAfterMs = 3_000;
/** Age at which a transaction is marked as failed when another one used its nonce, in milliseconds. */
const givenUpAfterMs = 30_000;
/** Longest wait for the replayed transactions of one block, in milliseconds. */
const replayWaitMs = 15_000;

export type ReconcilerOptions = {
  outbox: Outbox;
  senders: Senders;
  everyMs: number;
  /** Age at which an open transaction's fee is raised, in milliseconds; undefined on chains where blocks are never full. */
  raiseFeeAfterMs: number | undefined;
  workers: Workers;
};

/**
 * Makes the chain agree with the outbox. A transaction that was mined and then lost (killed embedded chain, reorganisation) is sent
 * again unchanged, in the order of the lost blocks, so that every record gets the same id.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #looking: Worker;
  /** True when the next check goes back to the first block. */
  #isNextFull = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    const { everyMs, workers } = options;
    this.#looking = workers.add({
      name: "outbox-reconciliation",
      everyMs,
      firstAfterMs: everyMs,
      run: async () => {
        const full = this.#isNextFull;
        this.#isNextFull = false;
        try {
          await this.#reconcile({ full });
        } catch (error) {
          this.#isNextFull ||= full;
          throw error;
        }
      },
    });
  }

  /** Run the first check, which goes back to the first block. New transactions wait for it. */
  async start(): Promise<void> {
    const { outbox } = this.#options;
    const first = this.run({ full: true });
    outbox.holdWhile(first);
    await first;
    outbox.options.head.subscribe((head, previous) => this.#noticeRewind(head, previous));
    this.#looking.start();
  }

  async close(): Promise<void> {
    await this.#looking.close();
  }

  /** Check the outbox against the chain. Checks never overlap: one that is requested during another runs after it. */
  async run({ full }: { full: boolean }): Promise<void> {
    this.#isNextFull ||= full;
    await this.#looking.runNow();
  }

  #noticeRewind(head: Head, previous: Head | undefined): void {
    if (previous === undefined || head.number > previous.number) return;
    this.#options.outbox.options.log.warn({ from: previous.number, to: head.number }, "the chain went back");
    this.#options.outbox.lastBlock = Number(head.number);
    const look = this.run({ full: true });
    this.#options.outbox.holdWhile(look);
    // The worker logs the failure.
    look.catch(() => undefined);
  }

  async #reconcile({ full }: { full: boolean }): Promise<void> {
    const { db, client, head } = this.#options.outbox.options;
    const latest = Number((await head.fetch()).number);
    const senders = await store.sendersToCheck(db, full ? 0 : Math.max(0, latest - regularDepth));
    const lost: ChainTransaction[] = [];
    const open: ChainTransaction[] = [];
    for (const sender of senders) {
      const nonce = await client.getTransactionCount({ address: sender, blockTag: "latest" });
      for (const row of await store.unsettled(db, sender, nonce)) {
        if (row.status === "open") {
          if (full || Date.now() - row.sentAt.getTime() > resendAfterMs) open.push(row);
        } else lost.push(row);
      }
    }
    await this.#replay(lost);
    for (const row of open.sort((a, b) => a.id - b.id)) await this.#attend(row);
  }

  /** Send lost transactions again, in the order of their blocks and of their positions within each. */
  async #replay(lost: ChainTransaction[]): Promise<void> {
    if (lost.length === 0) return;
    const { log, client, receipts } = this.#options.outbox.options;
    log.warn({ count: lost.length }, "sending again what the chain has lost");
    const blocks = Map.groupBy(lost, (row) => row.blockNumber ?? 0);
    for (const [, rows] of [...blocks].sort(([a], [b]) => a - b)) {
      const ordered = rows.sort((a, b) => (a.transactionIndex ?? 0) - (b.transactionIndex ?? 0));
      const waits = ordered.map((row) => receipts.wait(row.hash as Hex, replayWaitMs));
      for (const row of ordered) {
        const sent = await broadcast(client, row.raw as Hex);
        if (sent.outcome !== "sent") log.error({ transaction: row.id, ...sent }, "a lost transaction was not taken");
      }
      const found = await Promise.all(waits);
      for (const [i, row] of ordered.entries()) await this.#note(row, found[i] ?? null);
    }
  }

  async #note(row: ChainTransaction, receipt: TransactionReceipt | null): Promise<void> {
    const { log } = this.#options.outbox.options;
    if (receipt === null) {
      log.error({ transaction: row.id, hash: row.hash }, "a transaction that was mined before is not mined again yet");
      return;
    }
    if (row.status === "mined" && receipt.status === "reverted") {
      log.error({ transaction: row.id, hash: row.hash }, "a transaction that held before was refused when sent again");
    }
    await this.#settle(row, receipt);
  }

  async #settle(row: ChainTransaction, receipt: TransactionReceipt): Promise<void> {
    await this.#options.outbox.settle(row, receipt).catch((error: unknown) => {
      // A refusal is stored in the row, where its caller reads it.
      if (!(error instanceof AppError)) throw error;
    });
  }

  /** Settle an open transaction that is in a block, mark it as failed when its nonce was used, or send it again. */
  async #attend(row: ChainTransaction): Promise<void> {
    const { db, client, receipts, log } = this.#options.outbox.options;
    for (const hash of [row.hash, ...row.replacedHashes]) {
      const receipt = await receipts.find(hash as Hex);
      if (receipt !== null) return await this.#settle(row, receipt);
    }
    const nonce = await client.getTransactionCount({ address: row.sender as Hex, blockTag: "latest" });
    if (row.nonce < nonce) {
      if (Date.now() - row.sentAt.getTime() < givenUpAfterMs) return;
      const message = "Another transaction used the same nonce of the sending account.";
      await store.markFailed(db, row.id, { code: "CONFLICT", message, details: [{ rule: "nonce-unused", message }] });
      log.error({ transaction: row.id, hash: row.hash }, "the nonce of a stored transaction was used by another one");
      return;
    }
    const raw = (await this.#withHigherFee(row)) ?? row.raw;
    const sent = await broadcast(client, raw as Hex);
    if (sent.outcome !== "sent") log.warn({ transaction: row.id, ...sent }, "an open transaction was not taken");
  }

  /** Sign a transaction of the API's accounts again with a higher fee when it has waited too long; undefined otherwise. */
  async #withHigherFee(row: ChainTransaction): Promise<Hex | undefined> {
    const { outbox, senders, raiseFeeAfterMs } = this.#options;
    const account = Object.values(senders).find((each) => each.address.toLowerCase() === row.sender);
    if (raiseFeeAfterMs === undefined || account === undefined) return undefined;
    if (Date.now() - row.sentAt.getTime() < raiseFeeAfterMs) return undefined;
    const { to, data, gas, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(row.raw as Hex);
    if (!to || gas === undefined || maxFeePerGas === undefined) return undefined;
    const fees = raise({ maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n }, outbox.options.head);
    const signed = await outbox.sign(account, { to, data: data ?? "0x", gas, nonce: row.nonce, fees });
    return (await store.replaceSigned(outbox.options.db, row, signed)) ? signed.raw : undefined;
  }
}
