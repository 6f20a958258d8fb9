import { asc, eq, gt } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { type SupplierRow, suppliers } from "./tables.ts";

export function openSupplierStore(db: Database) {
  return {
    async byId(did: string): Promise<SupplierRow | null> {
      return (await db.select().from(suppliers).where(eq(suppliers.did, did)))[0] ?? null;
    },
    async byIndex(index: number): Promise<SupplierRow | null> {
      return (await db.select().from(suppliers).where(eq(suppliers.supplier, index)))[0] ?? null;
    },
    async storedIndexes(): Promise<number[]> {
      const rows = await db.select({ index: suppliers.supplier }).from(suppliers).orderBy(asc(suppliers.supplier));
      return rows.map(({ index }) => index);
    },
    /** At most `limit` rows after an index, in the order of registration. */
    async listAfter(index: number, limit: number): Promise<SupplierRow[]> {
      return db
        .select()
        .from(suppliers)
        .where(gt(suppliers.supplier, index))
        .orderBy(asc(suppliers.supplier))
        .limit(limit);
    },
    async save(row: SupplierRow): Promise<void> {
      await db.insert(suppliers).values(row).onConflictDoNothing();
    },
  };
}
export type SupplierStore = ReturnType<typeof openSupplierStore>;
