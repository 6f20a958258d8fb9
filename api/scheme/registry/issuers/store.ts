import { asc, eq, gt, lte } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { type IssuerRow, issuers } from "./tables.ts";

export function openIssuerStore(db: Database) {
  return {
    async byDid(did: string): Promise<IssuerRow | null> {
      return (await db.select().from(issuers).where(eq(issuers.did, did)))[0] ?? null;
    },
    /** At most `limit` rows after a DID, sorted by DID. */
    async listAfter(did: string, limit: number): Promise<IssuerRow[]> {
      return db.select().from(issuers).where(gt(issuers.did, did)).orderBy(asc(issuers.did)).limit(limit);
    },
    /** Store a row unless a stored one is from a later block. */
    async save(row: IssuerRow): Promise<void> {
      const { did: _, ...rest } = row;
      await db
        .insert(issuers)
        .values(row)
        .onConflictDoUpdate({ target: issuers.did, set: rest, setWhere: lte(issuers.blockNumber, row.blockNumber) });
    },
  };
}
export type IssuerStore = ReturnType<typeof openIssuerStore>;
