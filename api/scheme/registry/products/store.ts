import { and, asc, eq, gt, inArray } from "drizzle-orm";
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
    /** At most `limit` rows after an index, in the order of registration, only those of `only` if given. */
    async listAfter(index: number, limit: number, only?: number[]): Promise<ProductRow[]> {
      const listed = only === undefined ? undefined : inArray(products.product, only);
      const where = and(gt(products.product, index), listed);
      return db.select().from(products).where(where).orderBy(asc(products.product)).limit(limit);
    },
    async save(row: ProductRow): Promise<void> {
      await db.insert(products).values(row).onConflictDoNothing();
    },
  };
}
export type ProductStore = ReturnType<typeof openProductStore>;
