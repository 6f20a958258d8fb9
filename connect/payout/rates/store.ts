import { and, desc, eq, lt } from "drizzle-orm";
import type { Database, Transaction } from "../../../api/platform/db/index.ts";
import { payoutRates, type RateRow } from "../tables.ts";

export type RateStore = ReturnType<typeof createRateStore>;

export function createRateStore(db: Database) {
  return {
    async add(row: RateRow, tx: Database | Transaction = db): Promise<void> {
      await tx.insert(payoutRates).values(row);
    },
    async find(id: string): Promise<RateRow | undefined> {
      return (await db.select().from(payoutRates).where(eq(payoutRates.id, id)))[0];
    },
    /** The rate in force: the newest. */
    async current(currency: string): Promise<RateRow | undefined> {
      const ofCurrency = eq(payoutRates.currency, currency);
      return (await db.select().from(payoutRates).where(ofCurrency).orderBy(desc(payoutRates.id)).limit(1))[0];
    },
    /** Newest first, after the given id: one more than `limit`, to show whether a page follows. */
    list: (limit: number, currency: string | undefined, after: string | undefined): Promise<RateRow[]> =>
      db
        .select()
        .from(payoutRates)
        .where(
          and(
            currency === undefined ? undefined : eq(payoutRates.currency, currency),
            after === undefined ? undefined : lt(payoutRates.id, after),
          ),
        )
        .orderBy(desc(payoutRates.id))
        .limit(limit + 1),
  };
}
