import { and, asc, eq, isNull } from "drizzle-orm";
import type { Database, Transaction } from "../../../api/platform/db/index.ts";
import { type PartnerRow, payoutPartners } from "../tables.ts";

export type PartnerStore = ReturnType<typeof createPartnerStore>;

export function createPartnerStore(db: Database) {
  return {
    async add(row: PartnerRow, tx: Database | Transaction = db): Promise<void> {
      await tx.insert(payoutPartners).values(row);
    },
    async find(id: string): Promise<PartnerRow | undefined> {
      return (await db.select().from(payoutPartners).where(eq(payoutPartners.id, id)))[0];
    },
    /** All partners, oldest first. There are few. */
    all: (): Promise<PartnerRow[]> =>
      db.select().from(payoutPartners).orderBy(asc(payoutPartners.createdAt), asc(payoutPartners.id)),
    open: (): Promise<PartnerRow[]> =>
      db.select().from(payoutPartners).where(isNull(payoutPartners.closedAt)).orderBy(asc(payoutPartners.createdAt)),
    /** Close a partner. A second call keeps the first time. */
    async close(id: string, at: Date): Promise<PartnerRow | undefined> {
      const isOpen = and(eq(payoutPartners.id, id), isNull(payoutPartners.closedAt));
      await db.update(payoutPartners).set({ closedAt: at }).where(isOpen);
      return this.find(id);
    },
    async setCursor(id: string, cursor: string): Promise<void> {
      await db.update(payoutPartners).set({ cursor }).where(eq(payoutPartners.id, id));
    },
  };
}
