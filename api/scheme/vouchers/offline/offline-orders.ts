import { and, eq, gt, ne, sql } from "drizzle-orm";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/db/index.ts";
import type { RuleDetail } from "../../../platform/errors.ts";
import { formatScaled } from "../../../platform/values/numbers.ts";
import { offlineOrders } from "./tables.ts";

/** Most micro-CARBON that may be pending at a time. */
export type OfflineLimits = { perCard: bigint; perDevice: bigint };
type OfflineOrder = { orderKey: string; household: number; amount: bigint; acceptedAt: Date };

/**
 * Orders that tills accepted without a network. Those of one household that were pending at the same time, on whatever
 * devices, may be worth at most the limit of a card. Tills apply the same rule to the orders that they have.
 */
export class OfflineOrders {
  readonly limits: OfflineLimits;
  readonly #db: Database;
  readonly #clock: Clock;

  constructor({ db, clock, limits }: { db: Database; clock: Clock; limits: OfflineLimits }) {
    this.#db = db;
    this.#clock = clock;
    this.limits = limits;
  }

  /** Count an order, unless it exceeds the limit. @returns the broken rule, if any; a repeated order is counted once */
  async take({ orderKey, household, amount, acceptedAt }: OfflineOrder): Promise<RuleDetail[]> {
    const arrivedAt = this.#clock.now();
    return this.#db.transaction(async (tx) => {
      // Orders of one household are counted one after the other.
      await tx.execute(sql`select pg_advisory_xact_lock(hashtext('offline order'), ${household}::int)`);
      const others = and(
        eq(offlineOrders.household, household),
        ne(offlineOrders.orderKey, orderKey),
        gt(offlineOrders.arrivedAt, acceptedAt),
      );
      const [row] = await tx.select({ sum: sql<string>`coalesce(sum(amount), 0)` }).from(offlineOrders).where(others);
      const left = this.limits.perCard - BigInt(row?.sum ?? 0);
      if (amount > left) return [exceeded(left, this.limits.perCard)];
      const order = {
        orderKey,
        household,
        amount,
        acceptedAt: acceptedAt < arrivedAt ? acceptedAt : arrivedAt,
        arrivedAt,
      };
      await tx.insert(offlineOrders).values(order).onConflictDoNothing();
      return [];
    });
  }

  /** Do not count an order any more, because it was refused. */
  async giveBack(orderKey: string): Promise<void> {
    await this.#db.delete(offlineOrders).where(eq(offlineOrders.orderKey, orderKey));
  }
}

function exceeded(left: bigint, limit: bigint): RuleDetail {
  const rest = formatScaled(left < 0n ? 0n : left, 6);
  const message = `Without a network a household may spend ${formatScaled(limit, 6)} CARBON until its orders arrive; ${rest} CARBON of that were left when this order was accepted.`;
  return { path: "amount", rule: "offline-within-limit", message };
}
