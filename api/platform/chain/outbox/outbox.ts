import type { TransactionReceipt } from "viem";
import { type Address, type Hex, keccak256, type Log, type PublicClient } from "viem";
import { type Database, isUniqueViolation, type Transaction } from "../../db/index.ts";
import { AppError } from "../../errors.ts";
import type { Log as AppLog } from "../../log.ts";
import { traced } from "../../tracing/index.ts";
import { PendingTransactionError } from "../errors/pending-transaction-error.ts";
import { errorFromRevert, type RevertReading } from "../errors/reverts.ts";
import type { HeadWatcher } from "../node/head.ts";
import type { Signer } from "../signers/signer.ts";
import type { ChainTransaction, StoredError } from "../tables.ts";
import { broadcast } from "./broadcast.ts";
import type { FeePolicy, Fees } from "./fees.ts";
import type { GasBudget } from "./gas-budget.ts";
import { findNonceUse } from "./nonce-use.ts";
import type { ReceiptWatcher } from "./receipts.ts";
import * as store from "./store.ts";

/** A call that can be signed. `gas` is the gas limit. */
export type PreparedCall = {
  account: Signer;
  to: Address;
  data: Hex;
  gas: bigint;
  contract: string;
  functionName: string;
  purpose: string;
  parts: { idempotencyKey: string; position: number }[];
  /** Writes that are committed together with the transaction. What it throws prevents both. */
  alsoStore?: ((tx: Transaction, transactionId: number) => Promise<void>) | undefined;
};

/** A transaction in a block. `blockTimestamp` is chain time in seconds. */
export type MinedCall = { transactionHash: Hex; blockNumber: bigint; blockTimestamp: bigint; logs: Log[] };

export type OutboxOptions = {
  db: Database;
  client: PublicClient;
  chainId: number;
  head: HeadWatcher;
  receipts: ReceiptWatcher;
  fees: FeePolicy;
  budget: GasBudget;
  log: AppLog;
  /** Longest time that a caller waits for the receipt, in milliseconds. */
  txWaitMs: number;
  /** Called in the context of the request whose transaction is in that block. */
  onDelivered?: (blockNumber: bigint) => void;
};

/** How long each block is searched for a transaction whose caller no longer waits, in milliseconds. */
const laterMs = 120_000;
/** How often a sender's nonce is compared with the chain's while it sends, in milliseconds. */
const nonceCheckMs = 30_000;
/** How many blocks are searched for the transaction that has used a nonce elsewhere. */
const nonceUseBlocks = 1_000n;

/**
 * Sends transactions exactly once. Each is signed and stored first (tables.ts), and the same bytes are sent until the chain has
 * them. `Reconciler` continues after a crash, a reorganisation, or a rewind of the chain.
 */
export class Outbox {
  readonly options: OutboxOptions;
  /** The newest block that holds a transaction of this process. */
  lastBlock = 0;
  /** How many nonces of the service's accounts this process has found used by transactions that it does not know. */
  foreignNonces = 0;
  #gate: Promise<void> = Promise.resolve();
  readonly #blockTimes = new Map<bigint, Promise<bigint>>();
  /** When each sender's nonce was last compared with the chain's, by `performance.now()`. */
  readonly #comparedAt = new Map<Address, number>();

  constructor(options: OutboxOptions) {
    this.options = options;
  }

  /** Hold back new transactions until `work` (a replay after a rewind) has ended. */
  holdWhile(work: Promise<void>): void {
    this.#gate = Promise.all([this.#gate, work.catch(() => undefined)]).then(() => undefined);
  }

  /** Wait until new transactions may be made. */
  async open(): Promise<void> {
    await this.#gate;
  }

  /**
   * Sign and store a call. Once stored it will be sent, even after a crash.
   * @throws AppError UNAVAILABLE when the gas budget is used up; what `alsoStore` throws
   */
  async store(call: PreparedCall): Promise<ChainTransaction> {
    const { account, to, data, gas, contract, functionName, purpose, parts, alsoStore } = call;
    const intent = { sender: account.address, contract, functionName, purpose, parts };
    await this.options.budget.require();
    await this.#catchUpNonce(account.address);
    const fees = await this.options.fees.capped();
    const attributes = { "hearth.purpose": purpose, "hearth.contract": contract, "hearth.function": functionName };
    return await traced("outbox.store", attributes, () =>
      store.storeSigned(
        this.options.db,
        intent,
        (nonce) => this.sign(account, { to, data, gas, nonce, fees }),
        alsoStore,
      ),
    );
  }

  /** Skip nonces that transactions from elsewhere have used. */
  async #catchUpNonce(address: Address): Promise<void> {
    const comparedAt = this.#comparedAt.get(address);
    if (comparedAt !== undefined && performance.now() - comparedAt < nonceCheckMs) return;
    await this.compareNonce(address, await this.options.client.getTransactionCount({ address, blockTag: "latest" }));
  }

  /**
   * Raise a sender's next nonce to the chain's count, which is higher only when its key was used elsewhere. A count alone is not
   * enough, because a raise stays: a node that answers a wrong one once would leave a gap that empty transactions must fill.
   */
  async compareNonce(address: Address, chainNonce: number): Promise<void> {
    const { db, client, head, log } = this.options;
    this.#comparedAt.set(address, performance.now());
    const next = await store.nextNonceOf(db, address);
    if (next === undefined || chainNonce <= next) return;
    const newest = (await head.fetch()).number;
    const oldest = newest > nonceUseBlocks ? newest - nonceUseBlocks : 0n;
    if ((await findNonceUse(client, { address, nonce: chainNonce - 1 }, { oldest, newest })) === undefined) {
      log.warn(
        { sender: address, next, chainNonce },
        "a node counts transactions of an account that no recent block has",
      );
      return;
    }
    await store.ensureSender(db, address, chainNonce);
    this.foreignNonces += chainNonce - next;
    log.error({ sender: address, next, chainNonce }, "the key of an account was used outside this service");
  }

  /**
   * Send a call once for its idempotency key, even if several processes try. `send` runs only if no attempt has stored a transaction.
   * @throws as `send`, or as `earlierOutcome`
   */
  async once<T extends MinedCall | null>(
    idempotencyKey: string | undefined,
    send: () => Promise<T>,
    reading?: RevertReading,
  ): Promise<T | MinedCall> {
    const earlier = await this.earlierOutcome(idempotencyKey, reading);
    if (earlier !== undefined) return earlier.mined;
    try {
      return await send();
    } catch (error) {
      // Another process stored the same call meanwhile: the key is taken, or the contract refuses the second. Both return its outcome.
      if (!isUniqueViolation(error) && !(error instanceof AppError)) throw error;
      const theirs = await this.earlierOutcome(idempotencyKey, reading);
      if (theirs === undefined) throw error;
      return theirs.mined;
    }
  }

  async sign(
    account: Signer,
    { to, data, gas, nonce, fees }: { to: Address; data: Hex; gas: bigint; nonce: number; fees: Fees },
  ): Promise<store.Signed> {
    const chainId = this.options.chainId;
    const raw = await account.signTransaction({ type: "eip1559", chainId, to, data, gas, nonce, value: 0n, ...fees });
    return { raw, hash: keccak256(raw) };
  }

  /**
   * Send a stored transaction and wait for its block.
   * @throws AppError what its revert means; PendingTransactionError when the block does not come in time
   */
  async deliver(row: ChainTransaction, reading?: RevertReading): Promise<MinedCall> {
    const attributes = { "hearth.purpose": row.purpose, "hearth.transaction": row.hash };
    const mined = await traced("chain.transaction", attributes, () => this.#deliver(row, reading));
    this.options.onDelivered?.(mined.blockNumber);
    return mined;
  }

  async #deliver(row: ChainTransaction, reading?: RevertReading): Promise<MinedCall> {
    const waiting = this.options.receipts.wait(row.hash as Hex, this.options.txWaitMs);
    const sent = await broadcast(this.options.client, row.raw as Hex);
    if (sent.outcome !== "sent")
      this.options.log.warn({ transaction: row.id, ...sent }, "a transaction was not taken yet");
    const receipt = await waiting;
    if (receipt !== null) return await this.settle(row, receipt, reading);
    this.#settleLater(row);
    throw new PendingTransactionError(row);
  }

  /** Record the block of a transaction whose caller no longer waits. After `laterMs` only the reconciler does so. */
  #settleLater(row: ChainTransaction): void {
    this.options.receipts
      .wait(row.hash as Hex, laterMs)
      .then((receipt) => receipt && this.settle(row, receipt))
      .catch((error: unknown) =>
        this.options.log.info({ transaction: row.id, err: error }, "a late transaction ended"),
      );
  }

  /** Check whether an earlier attempt of the same write has stored a transaction. False without a key. */
  async isStored(idempotencyKey: string | undefined): Promise<boolean> {
    if (idempotencyKey === undefined) return false;
    return (await store.findByIdempotencyKey(this.options.db, idempotencyKey)) !== undefined;
  }

  /**
   * Return the outcome of an earlier attempt of the same write; wait for its block if necessary. All retries are found here.
   * @returns undefined when no attempt has stored a transaction; `position`: its place in the transaction's batch
   * @throws AppError the revert that the attempt got; PendingTransactionError when the block does not come in time
   */
  async earlierOutcome(
    idempotencyKey: string | undefined,
    reading?: RevertReading,
  ): Promise<{ mined: MinedCall; position: number } | undefined> {
    if (idempotencyKey === undefined) return undefined;
    await this.open();
    const known = await store.findByIdempotencyKey(this.options.db, idempotencyKey);
    if (known === undefined) return undefined;
    const { transaction, position } = known;
    try {
      return { mined: await this.outcome(transaction, reading), position };
    } catch (error) {
      throw error instanceof PendingTransactionError ? new PendingTransactionError(transaction, position) : error;
    }
  }

  /** Return the outcome of an earlier transaction; wait for it if it is still open. */
  async outcome(row: ChainTransaction, reading?: RevertReading): Promise<MinedCall> {
    if (row.status === "failed") throw errorOfRow(row);
    const receipt = await this.options.receipts.findVersion(row);
    return receipt === null ? await this.deliver(row, reading) : await this.settle(row, receipt, reading);
  }

  /** Store a transaction's block and status. @throws AppError what its revert means */
  async settle(row: ChainTransaction, receipt: TransactionReceipt, reading?: RevertReading): Promise<MinedCall> {
    const { transactionIndex, blockNumber, status } = receipt;
    const place = { blockNumber: Number(blockNumber), transactionIndex, feeWei: String(feeOf(receipt)) };
    if (status === "reverted") {
      const revert = await this.#whyReverted(receipt, reading);
      const { code, message, details } = revert;
      await store.markInBlock(this.options.db, row.id, {
        ...place,
        status: "reverted",
        error: { code, message, details },
      });
      throw revert;
    }
    this.lastBlock = Math.max(this.lastBlock, place.blockNumber);
    const isNoted = row.status === "mined" && row.blockNumber === place.blockNumber;
    if (!isNoted) await store.markInBlock(this.options.db, row.id, { ...place, status: "mined" });
    const blockTimestamp = await this.#timeOf(blockNumber);
    return { transactionHash: receipt.transactionHash, blockNumber, blockTimestamp, logs: receipt.logs };
  }

  /** Find the reason of a revert by simulating on the block's state, which may differ from the state at the first simulation. */
  async #whyReverted(receipt: TransactionReceipt, reading?: RevertReading): Promise<AppError> {
    const { client, log } = this.options;
    const transaction = await client.getTransaction({ hash: receipt.transactionHash });
    for (const blockNumber of [receipt.blockNumber, receipt.blockNumber - 1n]) {
      try {
        const { from, to, input, gas, value } = transaction;
        await client.call({ account: from, to, data: input, gas, value, blockNumber });
      } catch (error) {
        const revert = errorFromRevert(error, reading);
        if (revert !== undefined) return revert;
        log.warn({ err: error, hash: receipt.transactionHash }, "the reason of a revert could not be read");
      }
    }
    const message = "The ledger's state changed before the transaction was mined; try again.";
    return new AppError("CONFLICT", message, { details: [{ rule: "state-unchanged", message }] });
  }

  #timeOf(blockNumber: bigint): Promise<bigint> {
    const { head, client } = this.options;
    if (head.latest?.number === blockNumber) return Promise.resolve(head.latest.timestamp);
    const known = this.#blockTimes.get(blockNumber);
    if (known !== undefined) return known;
    const asked = client.getBlock({ blockNumber }).then((block) => block.timestamp);
    this.#blockTimes.set(blockNumber, asked);
    // Kept only briefly: callers of one batch ask together, and a reorganisation may change the block of a number.
    setTimeout(() => this.#blockTimes.delete(blockNumber), 2_000).unref();
    return asked;
  }
}

/** What the sender paid, in wei. Rollups add a fee for their data on the chain below. */
function feeOf({ gasUsed, effectiveGasPrice, ...more }: TransactionReceipt): bigint {
  const { l1Fee } = more as { l1Fee?: bigint | string | null };
  return gasUsed * effectiveGasPrice + BigInt(l1Fee ?? 0);
}

/** Rebuild the error that is stored in a settled row. */
export function errorOfRow(row: ChainTransaction): AppError {
  const stored: StoredError = row.error ?? {
    code: "CONFLICT",
    message: "The transaction was abandoned.",
    details: [],
  };
  return new AppError(stored.code as AppError["code"], stored.message, { details: stored.details });
}
