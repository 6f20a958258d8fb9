import { and, desc, eq, gt, isNull, lte } from "drizzle-orm";
import type { Database, Transaction } from "../../../api/platform/db/index.ts";
import { type AccountRow, payoutAccounts } from "../tables.ts";

export type AccountStore = ReturnType<typeof createAccountStore>;

export function createAccountStore(db: Database) {
  const ofSupplier = (supplierDid: string) => eq(payoutAccounts.supplierDid, supplierDid);
  return {
    /** Add a change, and drop those of the supplier that do not apply yet. */
    async change(tx: Transaction, row: AccountRow): Promise<void> {
      const waits = and(gt(payoutAccounts.appliesAt, row.createdAt), isNull(payoutAccounts.droppedAt));
      await tx
        .update(payoutAccounts)
        .set({ droppedAt: row.createdAt })
        .where(and(ofSupplier(row.supplierDid), waits));
      await tx.insert(payoutAccounts).values(row);
    },
    async find(id: string): Promise<AccountRow | undefined> {
      return (await db.select().from(payoutAccounts).where(eq(payoutAccounts.id, id)))[0];
    },
    /** The account in force: the newest that applies and was not dropped. */
    async current(supplierDid: string, now: Date): Promise<AccountRow | undefined> {
      const applies = and(
        ofSupplier(supplierDid),
        lte(payoutAccounts.appliesAt, now),
        isNull(payoutAccounts.droppedAt),
      );
      const newestFirst = [desc(payoutAccounts.appliesAt), desc(payoutAccounts.id)];
      return (
        await db
          .select()
          .from(payoutAccounts)
          .where(applies)
          .orderBy(...newestFirst)
          .limit(1)
      )[0];
    },
    /** Changes since a time that replaced an earlier account. */
    async changedSince(supplierDid: string, since: Date): Promise<AccountRow[]> {
      const history = await this.history(supplierDid);
      return history.slice(0, -1).filter(({ createdAt }) => createdAt >= since);
    },
    /** All changes of a supplier's account, newest first. There are few. */
    history: (supplierDid: string): Promise<AccountRow[]> =>
      db.select().from(payoutAccounts).where(ofSupplier(supplierDid)).orderBy(desc(payoutAccounts.id)).limit(100),
  };
}
