import type { Hex } from "viem";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import type { Chain } from "../../../platform/chain/index.ts";
import { redemptionNotFound } from "../public-ids.ts";
import { type RedemptionStatus, redemptionStatuses } from "../schemas.ts";

/** The current state of a redemption on chain. Amounts are in micro-CARBON, times in seconds since 1970. */
export type RedemptionState = {
  id: bigint;
  supplier: number;
  product: number;
  amount: bigint;
  deadline: number;
  status: RedemptionStatus;
  /** The ledger's number of the consent level. */
  consent: number;
  flagged: boolean;
  redeemedAt: bigint;
  transactionHash: Hex;
};

type Origin = { redeemedAt: bigint; transactionHash: Hex };

/** Reads redemptions from the chain. */
export class RedemptionLedger {
  readonly #chain: Chain;
  readonly #origins = new BoundedCache<bigint, Origin>(50_000);

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** Read a redemption. @throws AppError NOT_FOUND */
  async stateOf(id: bigint): Promise<RedemptionState> {
    const { status, ...record } = await this.#chain.read("vouchers", "redemptionOf", [id]);
    // In IVouchers.RedemptionStatus 0 means none.
    const word = redemptionStatuses[status - 1];
    if (word === undefined) throw redemptionNotFound();
    const origin = await this.#origins.through(id, () => this.#originOf(id));
    if (origin === null) throw new Error(`The chain's log lacks redemption ${id}.`);
    return { id, ...record, status: word, ...origin };
  }

  async #originOf(id: bigint): Promise<Origin | null> {
    const [event] = await this.#chain.past("vouchers", "VoucherRedeemed", { redemption: id });
    if (event === undefined) return null;
    const block = await this.#chain.client.getBlock({ blockNumber: event.blockNumber });
    return { redeemedAt: block.timestamp, transactionHash: event.transactionHash };
  }
}
