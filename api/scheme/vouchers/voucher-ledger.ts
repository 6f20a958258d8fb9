import type { Hex } from "viem";
import { batchOfVoucher } from "../../../wire/src/ids.ts";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import { type Chain, LAST_DAY, type LedgerState, ledgerStates, type Opening } from "../../platform/chain/index.ts";
import { type CertificateDirectory, CHUNK_LEAVES } from "../certificates/index.ts";
import { voucherNotFound } from "./public-ids.ts";

/** A voucher as it was issued. Days count from 1970-01-01 UTC; amounts are in micro-CARBON. */
export type VoucherFacts = {
  id: bigint;
  certificate: number;
  household: number;
  plan: number | undefined;
  value: bigint;
  startDay: number;
  /** Last day at issue; see `VoucherState.expiryDay`. */
  expiryDay: number;
  batchId: string;
  replaces: bigint | undefined;
  issueTransactionHash: Hex;
  /** Position in the certificate's allocation; undefined for a voucher that was issued alone. */
  leaf: number | undefined;
};

export type VoucherState = {
  /** Whether the voucher has a slot in the ledger; one that was never used has none. */
  opened: boolean;
  status: Exclude<LedgerState, "none">;
  remaining: bigint;
  redemptions: number;
  /** Current last day: later than at issue if lost time was added. */
  expiryDay: number;
};

/** The part of a voucher's state that is shown. */
export type ShownState = Pick<VoucherState, "status" | "remaining" | "expiryDay">;

type BatchFacts = {
  certificate: number;
  plan: number;
  chunk: number;
  count: number;
  startDay: number;
  expiryDay: number;
  batchId: string;
  transactionHash: Hex;
};

/** Reads vouchers from the chain. Facts that never change are cached; balances and states are read each time. */
export class VoucherLedger {
  readonly #chain: Chain;
  readonly #certificates: CertificateDirectory;
  readonly #batches = new BoundedCache<number, BatchFacts>(20_000);
  readonly #facts = new BoundedCache<bigint, VoucherFacts>(100_000);
  readonly #opened = new BoundedCache<bigint, true>(200_000);

  constructor(chain: Chain, certificates: CertificateDirectory) {
    this.#chain = chain;
    this.#certificates = certificates;
  }

  /** Read a voucher's facts. @throws AppError NOT_FOUND */
  async factsOf(id: bigint): Promise<VoucherFacts> {
    const known = this.#facts.get(id);
    if (known !== undefined) return known;
    const { batch, position } = batchOfVoucher(id);
    const facts = await this.#facts.through(id, () =>
      batch === 0 ? this.#loneFacts(id) : this.#batchFacts(id, batch, position),
    );
    if (facts === null) throw voucherNotFound();
    return facts;
  }

  async stateOf(facts: VoucherFacts): Promise<VoucherState> {
    const voucher = await this.#chain.read("vouchers", "voucherOf", [facts.id]);
    const status = ledgerStates[voucher.status] ?? "none";
    if (status === "none") {
      const { value: remaining, expiryDay } = facts;
      return { opened: false, status: "active", remaining, redemptions: 0, expiryDay };
    }
    this.noteOpened(facts.id);
    const { remaining, redemptions, expiryDay } = voucher;
    return { opened: true, status, remaining, redemptions, expiryDay };
  }

  /** Read the number of the voucher's monitoring plan. */
  async planOf(facts: VoucherFacts): Promise<number> {
    return facts.plan ?? (await this.#chain.read("vouchers", "voucherOf", [facts.id])).plan;
  }

  /** Read the first day on which the voucher may be swept. */
  async sweepableFrom(facts: VoucherFacts): Promise<number> {
    return await this.#chain.read("vouchers", "sweepableFrom", [facts.id]);
  }

  /**
   * Compute the first and last day of a reissue, so that the household loses no days. The last day is one later than the
   * ledger requires now, because another day may begin before the block with the reissue.
   */
  async reissueDays(facts: VoucherFacts): Promise<{ startDay: number; expiryDay: number }> {
    const least = await this.#chain.read("vouchers", "reissueExpiry", [facts.id]);
    return { startDay: facts.startDay, expiryDay: Math.min(least + 1, LAST_DAY) };
  }

  /** Build the opening of a voucher, unless it is known to be open already. */
  async openingOf(facts: VoucherFacts): Promise<Opening | undefined> {
    if (facts.leaf === undefined || this.#opened.get(facts.id)) return undefined;
    return await this.proofOf(facts);
  }

  /** Build the opening of a batch voucher, open or not; undefined for one that was issued alone. */
  async proofOf(facts: VoucherFacts): Promise<Opening | undefined> {
    if (facts.leaf === undefined) return undefined;
    const leaf = await this.#certificates.leafAt(facts.certificate, facts.leaf);
    if (leaf === null) throw new Error(`Certificate ${facts.certificate} has no leaf ${facts.leaf}.`);
    return { voucher: facts.id, household: facts.household, value: facts.value, proof: leaf.proof };
  }

  /** An opened voucher stays open. */
  noteOpened(id: bigint): void {
    this.#opened.set(id, true);
  }

  async #loneFacts(id: bigint): Promise<VoucherFacts | null> {
    // Reading one slot is cheaper than searching the log, and most unknown ids are guesses.
    if ((await this.#chain.read("vouchers", "voucherOf", [id])).status === 0) return null;
    const [event] = await this.#chain.past("vouchers", "VoucherIssued", { voucher: id });
    if (event === undefined) return null;
    const { certificate, household, value, startDay, expiryDay, batchId, replaces } = event.args;
    const places = { certificate, household, plan: undefined, leaf: undefined };
    const origin = { replaces: replaces === 0n ? undefined : replaces, issueTransactionHash: event.transactionHash };
    return { id, ...places, value, startDay, expiryDay, batchId, ...origin };
  }

  async #batchFacts(id: bigint, index: number, position: number): Promise<VoucherFacts | null> {
    const batch = await this.#batches.through(index, () => this.#loadBatch(index));
    if (batch === null || position >= batch.count) return null;
    const leaf = batch.chunk * CHUNK_LEAVES + position;
    const allocation = await this.#certificates.leafAt(batch.certificate, leaf);
    if (allocation === null) return null;
    const { certificate, plan, startDay, expiryDay, batchId, transactionHash } = batch;
    const { household, amount: value } = allocation;
    const origin = { replaces: undefined, issueTransactionHash: transactionHash };
    return { id, certificate, household, plan, value, startDay, expiryDay, batchId, ...origin, leaf };
  }

  async #loadBatch(index: number): Promise<BatchFacts | null> {
    const batch = await this.#chain.read("vouchers", "batchOf", [index]);
    if (batch.count === 0) return null;
    const [event] = await this.#chain.past("vouchers", "BatchIssued", { batch: index });
    if (event === undefined) return null;
    const { certificate, plan, chunk, count, startDay, expiryDay } = batch;
    const { batchId } = event.args;
    const { transactionHash } = event;
    return { certificate, plan, chunk, count, startDay, expiryDay, batchId, transactionHash };
  }
}
