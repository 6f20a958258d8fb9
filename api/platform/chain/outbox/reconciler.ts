import { type Hex, parseTransaction, type TransactionReceipt } from "viem";
import { AppError } from "../../errors.ts";
import type { Worker, Workers } from "../../workers/index.ts";
import type { Head } from "../node/head.ts";
import type { Senders } from "../signers/senders.ts";
import type { Signer } from "../signers/signer.ts";
import type { ChainTransaction } from "../tables.ts";
import { broadcast } from "./broadcast.ts";
import { findNonceUse } from "./nonce-use.ts";
import type { Outbox } from "./outbox.ts";
import * as store from "./store.ts";

/** How many blocks a regular check goes back. The check at start goes back to the first block. */
const regularDepth = 256;
/** Age at which a transaction of another account is marked as failed when another one used its nonce, in milliseconds. */
const givenUpAfterMs = 30_000;
/** How many missing nonces are filled at most. A reorganisation does not leave more, and each costs gas. */
const mostFilled = 64;
/** Purpose of a transaction that only uses up a nonce. */
const fillPurpose = "nonce.fill";
/** Gas of a transaction without a call, with room for chains that count more than 21 000. */
const fillGas = 60_000n;
/** Longest wait for a replayed transaction after the one before it, in milliseconds. */
const replayWaitMs = 15_000;
/** How many replayed transactions wait for a block together at most. Many nodes keep no more for one account. */
const mostReplayed = 16;

/** Times of the reconciler, in milliseconds. */
export type ReconcilerPace = {
  /** Interval of its checks. */
  everyMs: number;
  /** Age at which an open transaction is sent again; until then its own caller handles it. */
  resendAfterMs: number;
  /** Age of the oldest transaction that waits for a missing nonce when the nonce is filled. */
  fillAfterMs: number;
};

const usualPace: ReconcilerPace = { everyMs: 2_000, resendAfterMs: 3_000, fillAfterMs: 10_000 };

export type ReconcilerOptions = {
  outbox: Outbox;
  senders: Senders;
  /** Other times than usual. */
  pace?: Partial<ReconcilerPace>;
  /** Age at which an open transaction's fee is raised, in milliseconds; undefined on chains where blocks are never full. */
  raiseFeeAfterMs: number | undefined;
  /** Number of blocks after which the chain cannot lose one any more. */
  finalityBlocks: number;
  /** First block that can hold a transaction of the outbox. */
  startBlock: bigint;
  workers: Workers;
};

/**
 * Makes the chain agree with the outbox. A transaction that was mined and then lost (killed embedded chain, reorganisation) is sent
 * again unchanged, in the order of the lost blocks, so that every record gets the same id.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #pace: ReconcilerPace;
  readonly #looking: Worker;
  /** True when the next check goes back to the first block. */
  #isNextFull = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#pace = { ...usualPace, ...options.pace };
    const { everyMs } = this.#pace;
    this.#looking = options.workers.add({
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
    outbox.options.head.subscribe((head, previous, isRewind) => {
      if (previous !== undefined && isRewind) this.#replayAfterRewind(head, previous);
    });
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

  #replayAfterRewind(head: Head, previous: Head): void {
    this.#options.outbox.options.log.warn({ from: previous.number, to: head.number }, "the chain went back");
    this.#options.outbox.lastBlock = Number(head.number);
    const look = this.run({ full: true });
    this.#options.outbox.holdWhile(look);
    // The worker logs the failure.
    look.catch(() => undefined);
  }

  async #reconcile({ full }: { full: boolean }): Promise<void> {
    const first = await this.#findUnsettled({ full });
    // One sender may have been read before a reorganisation and another after it. Their order needs what both have lost.
    const { lost, open } = first.lost.length === 0 ? first : await this.#findUnsettled({ full });
    // What is in a block again by the second time is still in the first list: its new block is not stored yet.
    const all = new Map([...first.lost, ...lost].map((row) => [row.id, row]));
    await this.#replay([...all.values()]);
    for (const row of open.sort((a, b) => a.id - b.id)) await this.#attend(row);
  }

  /** Find what the chain has lost, and what has waited long enough for a block. */
  async #findUnsettled({ full }: { full: boolean }): Promise<Record<"lost" | "open", store.AgedTransaction[]>> {
    const { outbox } = this.#options;
    const { db, client, head } = outbox.options;
    const latest = Number((await head.fetch()).number);
    const senders = await store.sendersToCheck(db, full ? 0 : Math.max(0, latest - regularDepth));
    const lost: store.AgedTransaction[] = [];
    const open: store.AgedTransaction[] = [];
    for (const sender of senders) {
      const nonce = await client.getTransactionCount({ address: sender, blockTag: "latest" });
      const rows = await store.unsettled(db, sender, nonce);
      for (const row of rows) {
        if (row.status !== "open") lost.push(row);
        else if (full || row.sentAgoMs > this.#pace.resendAfterMs) open.push(row);
      }
      const account = this.#accountOf(sender);
      if (account === undefined) continue;
      await outbox.compareNonce(account.address, nonce);
      await this.#fillGaps(account, nonce, rows);
    }
    return { lost, open };
  }

  /** Send lost transactions again, in their order on the chain. */
  async #replay(lost: ChainTransaction[]): Promise<void> {
    if (lost.length === 0) return;
    const { log, client } = this.#options.outbox.options;
    log.warn({ count: lost.length }, "sending again what the chain has lost");
    for (const rows of replaySteps(lost)) {
      for (const row of rows) {
        const sent = await broadcast(client, row.raw as Hex);
        if (sent.outcome !== "sent") log.error({ transaction: row.id, ...sent }, "a lost transaction was not taken");
      }
      // They are mined in this order, so that none waits for long after the one before it.
      for (const row of rows) await this.#note(row, await this.#minedAgain(row));
    }
  }

  /** Wait until a version of a transaction is in a block again; null when that takes too long. */
  async #minedAgain(row: ChainTransaction): Promise<TransactionReceipt | null> {
    const { receipts } = this.#options.outbox.options;
    const versions = [row.hash, ...row.replacedHashes] as Hex[];
    const waiting = Promise.race(versions.map((version) => receipts.wait(version, replayWaitMs)));
    // The head watcher reports an outage.
    return (await receipts.findVersion(row).catch(() => null)) ?? waiting;
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

  /** Settle an open transaction that is in a block, sign it again when its nonce was used, or send it again. */
  async #attend(row: store.AgedTransaction): Promise<void> {
    const { client, receipts, fees, log } = this.#options.outbox.options;
    for (const hash of [row.hash, ...row.replacedHashes]) {
      const receipt = await receipts.find(hash as Hex);
      if (receipt === null) continue;
      // After a refusal the caller may send the same request again, so the refusal must be final.
      if (receipt.status === "success" || receipts.isConfirmed(receipt)) await this.#settle(row, receipt);
      return;
    }
    const nonce = await client.getTransactionCount({ address: row.sender as Hex, blockTag: "latest" });
    if (row.nonce < nonce) return await this.#attendUsedNonce(row);
    const raw = (await this.#withHigherFee(row)) ?? row.raw;
    const sent = await broadcast(client, raw as Hex);
    if (sent.outcome === "sent") return;
    // While the base fee is above the cap, nodes may refuse it at every try.
    const level = fees.baseFeeAboveCap() === undefined ? "warn" : "debug";
    log[level]({ transaction: row.id, ...sent }, "an open transaction was not taken");
  }

  /**
   * Another transaction has used the nonce. Sign the same call with the next nonce, once the other one is final: the first version
   * can then never be mined, so the call happens once. A transaction that its sender signed fails.
   */
  async #attendUsedNonce(row: store.AgedTransaction): Promise<void> {
    const { outbox, finalityBlocks, startBlock } = this.#options;
    const { db, client, head, fees, log } = outbox.options;
    const account = this.#accountOf(row.sender);
    const { to, data, gas } = parseTransaction(row.raw as Hex);
    const isFill = row.purpose === fillPurpose;
    if (account === undefined || isFill || !to || gas === undefined) {
      if (row.sentAgoMs >= givenUpAfterMs) await this.#markNonceUsed(row);
      return;
    }
    const final = (await head.fetch()).number - BigInt(finalityBlocks);
    const use = await findNonceUse(
      client,
      { address: account.address, nonce: row.nonce },
      { oldest: startBlock, newest: final },
    );
    // Not final yet, or a version of this transaction, whose receipt will come.
    if (use === undefined || [row.hash, ...row.replacedHashes].includes(use)) return;
    const offered = await fees.capped();
    const moved = await store.moveToNextNonce(db, row, (nonce) =>
      outbox.sign(account, { to, data: data ?? "0x", gas, nonce, fees: offered }),
    );
    if (moved === undefined) return;
    outbox.foreignNonces += 1;
    log.error({ transaction: row.id, nonce: row.nonce, usedBy: use }, "a nonce was used outside this service");
    await broadcast(client, moved.raw);
  }

  async #markNonceUsed(row: ChainTransaction): Promise<void> {
    const { db, log } = this.#options.outbox.options;
    const message = "Another transaction used the same nonce of the sending account.";
    await store.markFailed(db, row.id, { code: "CONFLICT", message, details: [{ rule: "nonce-unused", message }] });
    log.error({ transaction: row.id, hash: row.hash }, "the nonce of a stored transaction was used by another one");
  }

  /**
   * Use up the nonces that no stored transaction has, below the newest one that has waited, because nothing after them can be mined.
   * They are missing when a reorganisation has removed transactions that the account signed outside this service.
   */
  async #fillGaps(account: Signer, chainNonce: number, rows: store.AgedTransaction[]): Promise<void> {
    const { outbox } = this.#options;
    const { db, client, fees, log } = outbox.options;
    const waiting = rows.filter((row) => row.status === "open" && row.storedAgoMs > this.#pace.fillAfterMs);
    const newest = waiting.at(-1)?.nonce ?? chainNonce;
    const stored = new Set(rows.map((row) => row.nonce).filter((nonce) => nonce >= chainNonce && nonce < newest));
    const missing = newest - chainNonce - stored.size;
    if (missing > mostFilled) {
      log.error({ sender: account.address, chainNonce, newest, missing }, "too many nonces are missing to fill them");
      return;
    }
    for (let nonce = chainNonce; nonce < newest; nonce++) {
      if (stored.has(nonce)) continue;
      const to = account.address;
      const offered = await fees.capped();
      const signed = await outbox.sign(account, { to, data: "0x", gas: fillGas, nonce, fees: offered });
      const intent = { sender: to, contract: "none", functionName: "none", purpose: fillPurpose, parts: [], nonce };
      const row = await store.storeAtNonce(db, intent, signed);
      if (row === null) continue;
      log.error({ transaction: row.id, sender: to, nonce }, "a missing nonce is filled with an empty transaction");
      await broadcast(client, signed.raw);
    }
  }

  #accountOf(sender: string): Signer | undefined {
    return Object.values(this.#options.senders).find(({ address }) => address.toLowerCase() === sender);
  }

  /** Sign a transaction of the API's accounts again with a higher fee when it has waited too long; undefined otherwise. */
  async #withHigherFee(row: store.AgedTransaction): Promise<Hex | undefined> {
    const { outbox, raiseFeeAfterMs } = this.#options;
    const account = this.#accountOf(row.sender);
    if (raiseFeeAfterMs === undefined || account === undefined || row.sentAgoMs < raiseFeeAfterMs) return undefined;
    const { to, data, gas, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(row.raw as Hex);
    if (!to || gas === undefined || maxFeePerGas === undefined) return undefined;
    const offered = { maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n };
    const fees = await outbox.options.fees.raised(offered);
    if (fees === undefined) return undefined;
    const signed = await outbox.sign(account, { to, data: data ?? "0x", gas, nonce: row.nonce, fees });
    return (await store.replaceSigned(outbox.options.db, row, signed)) ? signed.raw : undefined;
  }
}

/**
 * Divide lost transactions into steps, of which each waits until the one before is mined. Nonces keep the transactions of one sender
 * in order, so several of its blocks are one step: waiting for each block would take as long as the lost blocks did. Transactions of
 * several senders have no such order, so each of their blocks is a step.
 */
function replaySteps(lost: readonly ChainTransaction[]): ChainTransaction[][] {
  const steps: ChainTransaction[][] = [];
  const blocks = Map.groupBy(lost, (row) => row.blockNumber ?? 0);
  for (const [, unordered] of [...blocks].sort(([a], [b]) => a - b)) {
    const rows = unordered.sort((a, b) => (a.transactionIndex ?? 0) - (b.transactionIndex ?? 0));
    const last = steps.at(-1);
    const together = [...(last ?? []), ...rows];
    const isOneSender = together.every(({ sender }) => sender === together[0]?.sender);
    if (last !== undefined && isOneSender && together.length <= mostReplayed) last.push(...rows);
    else steps.push(rows);
  }
  return steps;
}
