import { asc, eq, gt } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { type ProductRow, products } from "./tables.ts";

export function openProductStore(db: Database) {
  return {
    async byId(productId: string): Promise<ProductRow | null> {
      return (await db.select().from(products).where(eq(products.productId, productId)))[0] ?? null;
    },
    async byIndex(index: number): Promise<ProductRow | null> {
      return (await db.select().from(products).where(eq(products.product, index)))[0] ?? null;
    },
    async storedIndexes(): Promise<number[]> {
      const rows = await db.select({ index: products.product }).from(products).orderBy(asc(products.product));
      return rows.map(({ index }) => index);
    },
    /** At most `limit` rows after an index, in the order of registration. */
    async listAfter(index: number, limit: number): Promise<ProductRow[]> {
      return db.select().from(products).where(gt(products.product, index)).orderBy(asc(products.product)).limit(limit);
    },
    async save(row: ProductRow): Promise<void> {
      await db.insert(products).values(row).onConflictDoNothing();
    },
  };
}
export type ProductStore = ReturnType<typeof openProductStore>;
