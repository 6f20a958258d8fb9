import { formatEther, type Hex, parseEther } from "viem";
import { cachedFor } from "../../cached-for.ts";
import type { Database } from "../../db/index.ts";
import { AppError } from "../../errors.ts";
import { spentInLastDay } from "./store.ts";

/** How long a sum is used, in milliseconds. */
const keptMs = 5_000;

export type GasBudgetOptions = {
  db: Database;
  senders: readonly Hex[];
  /** Most that the accounts together may pay for gas in 24 hours, in ether as decimal text; undefined: no limit. */
  etherPerDay: string | undefined;
};

/** What the service's accounts may pay for gas within 24 hours. */
export class GasBudget {
  /** In wei; undefined: no limit. */
  readonly limit: bigint | undefined;
  /** What was paid in the last 24 hours, in wei. */
  readonly spent: () => Promise<bigint>;

  constructor({ db, senders, etherPerDay }: GasBudgetOptions) {
    this.limit = etherPerDay === undefined ? undefined : parseEther(etherPerDay);
    this.spent = cachedFor(keptMs, () => spentInLastDay(db, senders));
  }

  /** @throws AppError UNAVAILABLE when the budget is used up */
  async require(): Promise<void> {
    if (this.limit === undefined || (await this.spent()) < this.limit) return;
    const message = `The gas budget of ${formatEther(this.limit)} ether in 24 hours is used up; try again later.`;
    throw new AppError("UNAVAILABLE", message, {
      details: [{ rule: "gas-budget", message }],
      headers: { "Retry-After": "600" },
    });
  }
}
