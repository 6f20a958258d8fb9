import type { PublicClient } from "viem";
import type { HeadWatcher } from "../node/head.ts";

/** Fees of a transaction, in wei for each unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

const gwei = 1_000_000_000n;
/** Fees on the embedded chain. All are equal there, so transactions stay in the order in which they were sent. */
const floor: Fees = { maxFeePerGas: 10n * gwei, maxPriorityFeePerGas: gwei };

/** How long a node's suggestion of a priority fee is used, in milliseconds. */
const suggestionMs = 10_000;

export type FeePolicyOptions = {
  head: HeadWatcher;
  /** Most that the service pays. */
  caps: Fees;
  /** Node that suggests the priority fee; undefined: the embedded chain, whose fees are fixed. */
  suggesting?: PublicClient | undefined;
};

/** What the service offers for gas: twice the base fee plus the priority fee that the node suggests, up to the caps. */
export class FeePolicy {
  readonly caps: Fees;
  readonly #head: HeadWatcher;
  readonly #suggestPriorityFee: () => Promise<bigint>;
  readonly #least: bigint;

  constructor({ head, caps, suggesting }: FeePolicyOptions) {
    this.#head = head;
    this.caps = caps;
    this.#least = suggesting === undefined ? floor.maxFeePerGas : 0n;
    this.#suggestPriorityFee =
      suggesting === undefined
        ? async () => floor.maxPriorityFeePerGas
        : keepFor(suggestionMs, () => suggesting.estimateMaxPriorityFeePerGas());
  }

  /** Fees of a new transaction that its sender pays. A node's suggestion is capped, as a wallet pays it whatever it is. */
  async suggested(): Promise<Fees> {
    const maxPriorityFeePerGas = smaller(await this.#suggestPriorityFee(), this.caps.maxPriorityFeePerGas);
    const maxFeePerGas = larger(this.#baseFee() * 2n + maxPriorityFeePerGas, this.#least);
    return { maxFeePerGas, maxPriorityFeePerGas };
  }

  /** Fees of a new transaction that the service pays. */
  async capped(): Promise<Fees> {
    return this.#cap(await this.suggested());
  }

  /**
   * Raise both fees by a quarter or to what is needed now, so that every node accepts the transaction as a replacement (most ask
   * for a tenth). Undefined when the caps leave no room for that.
   */
  async raised(fees: Fees): Promise<Fees | undefined> {
    const now = await this.suggested();
    const maxPriorityFeePerGas = larger(quarterMore(fees.maxPriorityFeePerGas), now.maxPriorityFeePerGas);
    const maxFeePerGas = larger(quarterMore(fees.maxFeePerGas), now.maxFeePerGas + maxPriorityFeePerGas);
    const raised = this.#cap({ maxFeePerGas, maxPriorityFeePerGas });
    const isAccepted =
      raised.maxFeePerGas >= tenthMore(fees.maxFeePerGas) &&
      raised.maxPriorityFeePerGas >= tenthMore(fees.maxPriorityFeePerGas);
    return isAccepted ? raised : undefined;
  }

  /** The base fee while it is above the cap, so that no transaction of the service is mined; undefined otherwise. */
  baseFeeAboveCap(): bigint | undefined {
    const baseFee = this.#baseFee();
    return baseFee > this.caps.maxFeePerGas ? baseFee : undefined;
  }

  #baseFee(): bigint {
    return this.#head.latest?.baseFee ?? 0n;
  }

  #cap({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees {
    const most = smaller(maxFeePerGas, this.caps.maxFeePerGas);
    return {
      maxFeePerGas: most,
      maxPriorityFeePerGas: smaller(smaller(maxPriorityFeePerGas, this.caps.maxPriorityFeePerGas), most),
    };
  }
}

/** Keep what `read` returned for `ms` milliseconds. A failure is not kept. */
function keepFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { value: T; at: number } | undefined;
  return async () => {
    if (kept !== undefined && performance.now() - kept.at < ms) return kept.value;
    kept = { value: await read(), at: performance.now() };
    return kept.value;
  };
}

// Math.max and Math.min take no bigints.
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const quarterMore = (value: bigint): bigint => (value * 5n) / 4n + 1n;
const tenthMore = (value: bigint): bigint => (value * 11n + 9n) / 10n;
