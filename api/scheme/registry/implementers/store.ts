import { asc, eq, gt } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { type ImplementerRow, implementers } from "./tables.ts";

export function openImplementerStore(db: Database) {
  return {
    async byId(did: string): Promise<ImplementerRow | null> {
      return (await db.select().from(implementers).where(eq(implementers.did, did)))[0] ?? null;
    },
    async byIndex(index: number): Promise<ImplementerRow | null> {
      return (await db.select().from(implementers).where(eq(implementers.implementer, index)))[0] ?? null;
    },
    async storedIndexes(): Promise<number[]> {
      const rows = await db
        .select({ index: implementers.implementer })
        .from(implementers)
        .orderBy(asc(implementers.implementer));
      return rows.map(({ index }) => index);
    },
    /** At most `limit` rows after an index, in the order of registration. */
    async listAfter(index: number, limit: number): Promise<ImplementerRow[]> {
      const later = gt(implementers.implementer, index);
      return db.select().from(implementers).where(later).orderBy(asc(implementers.implementer)).limit(limit);
    },
    async save(row: ImplementerRow): Promise<void> {
      await db.insert(implementers).values(row).onConflictDoNothing();
    },
  };
}
export type ImplementerStore = ReturnType<typeof openImplementerStore>;
