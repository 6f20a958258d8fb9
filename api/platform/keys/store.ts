import { and, asc, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/index.ts";
import type { Role } from "../http/index.ts";
import { apiKeys } from "./tables.ts";

export type KeyRow = typeof apiKeys.$inferSelect;
export type KeyStore = ReturnType<typeof createKeyStore>;

/** Create the store of API keys. */
export function createKeyStore(db: Database) {
  return {
    async insert(row: KeyRow, tx: Database | Transaction = db): Promise<void> {
      await tx.insert(apiKeys).values(row);
    },
    async find(id: string, tx: Database | Transaction = db): Promise<KeyRow | undefined> {
      const [row] = await tx.select().from(apiKeys).where(eq(apiKeys.id, id));
      return row;
    },
    /** Find the names of keys; ids without a key are left out. */
    async namesOf(ids: string[]): Promise<Map<string, string>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .select({ id: apiKeys.id, name: apiKeys.name })
        .from(apiKeys)
        .where(inArray(apiKeys.id, ids));
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    /** List keys, by default of every role, oldest first, after the given position: one more than `limit`, to show whether a page follows. */
    list(
      { limit, role }: { limit: number; role?: Role | undefined },
      after?: { createdAt: Date; id: string },
    ): Promise<KeyRow[]> {
      const later =
        after &&
        or(
          gt(apiKeys.createdAt, after.createdAt),
          and(eq(apiKeys.createdAt, after.createdAt), gt(apiKeys.id, after.id)),
        );
      const wanted = and(later, role && eq(apiKeys.role, role));
      const ordered = db.select().from(apiKeys).where(wanted).orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
      return ordered.limit(limit + 1);
    },
    /** Replace the secret's hash; the previous secret no longer works. */
    async changeSecret(id: string, secretHash: string): Promise<void> {
      await db.update(apiKeys).set({ secretHash }).where(eq(apiKeys.id, id));
    },
    /** Replace the secret of a key that is not revoked and still has the former one. @returns the key; undefined otherwise */
    async replaceSecret(
      tx: Transaction,
      id: string,
      { former, secretHash }: { former: string; secretHash: string },
    ): Promise<KeyRow | undefined> {
      const held = and(eq(apiKeys.id, id), eq(apiKeys.secretHash, former), isNull(apiKeys.revokedAt));
      return (await tx.update(apiKeys).set({ secretHash }).where(held).returning())[0];
    },
    /** Store when keys were last used. A later time that another process has stored stays. */
    async setLastUsed(times: ReadonlyMap<string, Date>): Promise<void> {
      const rows = JSON.stringify([...times].map(([id, at]) => ({ id, at: at.toISOString() })));
      await db.execute(sql`
        update ${apiKeys} set last_used_at = greatest(last_used_at, used.at)
        from jsonb_to_recordset(${rows}::jsonb) as used (id text, at timestamptz) where ${apiKeys.id} = used.id`);
    },
    /** Mark a key as revoked. A second call keeps the first time. */
    async revoke(id: string, at: Date, tx: Database | Transaction = db): Promise<KeyRow | undefined> {
      await tx
        .update(apiKeys)
        .set({ revokedAt: at })
        .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)));
      return this.find(id, tx);
    },
    /**
     * Insert the row if there never was an admin key, and return whether it did. If two processes start together, only one inserts;
     * `before` runs there, before the insert.
     */
    insertFirstAdmin(row: KeyRow, before: () => Promise<void>): Promise<boolean> {
      return db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(4729312)`);
        const [existing] = await tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.role, "admin")).limit(1);
        if (existing !== undefined) return false;
        await before();
        await tx.insert(apiKeys).values(row);
        return true;
      });
    },
  };
}
