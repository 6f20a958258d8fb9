import { and, asc, eq, gt, inArray, isNull, or, type SQLWrapper, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../../api/platform/db/index.ts";
import { type CollectorRow, odkCollectors } from "../tables.ts";

export type CollectorStore = ReturnType<typeof createCollectorStore>;

export function createCollectorStore(db: Database) {
  return {
    async insert(tx: Transaction, row: CollectorRow): Promise<void> {
      await tx.insert(odkCollectors).values(row);
    },
    async find(id: string, tx: Database | Transaction = db): Promise<CollectorRow | undefined> {
      const [row] = await tx.select().from(odkCollectors).where(eq(odkCollectors.id, id));
      return row;
    },
    /** Names of collectors by their ids. */
    async namesOf(ids: string[]): Promise<Map<string, string>> {
      if (ids.length === 0) return new Map();
      const named = db.select({ id: odkCollectors.id, name: odkCollectors.name }).from(odkCollectors);
      return new Map((await named.where(inArray(odkCollectors.id, ids))).map(({ id, name }) => [id, name]));
    },
    /** The query for the ids of collectors whose name has a text in it, in any case: of an implementer, or of all. */
    idsNamed(text: string, implementerDid: string | undefined): SQLWrapper {
      const isNamed = sql`strpos(lower(${odkCollectors.name}), lower(${text})) > 0`;
      const isOwn = implementerDid === undefined ? undefined : eq(odkCollectors.implementerDid, implementerDid);
      return db.select({ id: odkCollectors.id }).from(odkCollectors).where(and(isOwn, isNamed));
    },
    /** List collectors, oldest first, after the given position: one more than `limit`, to show whether a page follows. */
    list(limit: number, after?: { createdAt: Date; id: string }): Promise<CollectorRow[]> {
      const later =
        after &&
        or(
          gt(odkCollectors.createdAt, after.createdAt),
          and(eq(odkCollectors.createdAt, after.createdAt), gt(odkCollectors.id, after.id)),
        );
      const ordered = db
        .select()
        .from(odkCollectors)
        .where(later)
        .orderBy(asc(odkCollectors.createdAt), asc(odkCollectors.id));
      return ordered.limit(limit + 1);
    },
    /**
     * Replace a collector's secrets.
     * @param former hash of the token that they replace
     * @returns false when the collector was revoked or got others meanwhile
     */
    async replaceSecrets(
      tx: Transaction,
      id: string,
      former: string,
      secrets: Partial<CollectorRow>,
    ): Promise<boolean> {
      const replaced = await tx
        .update(odkCollectors)
        .set(secrets)
        .where(and(eq(odkCollectors.id, id), eq(odkCollectors.secretHash, former), isNull(odkCollectors.revokedAt)))
        .returning({ id: odkCollectors.id });
      return replaced.length === 1;
    },
    /** Whether a collector is not revoked. It stays so until the transaction ends. */
    async holdInForce(tx: Transaction, id: string): Promise<boolean> {
      const inForce = and(eq(odkCollectors.id, id), isNull(odkCollectors.revokedAt));
      const held = await tx.select({ id: odkCollectors.id }).from(odkCollectors).where(inForce).for("share");
      return held.length === 1;
    },
    /** Mark a collector as revoked. A second call keeps the first time. */
    async revoke(tx: Transaction, id: string, at: Date): Promise<CollectorRow | undefined> {
      await tx
        .update(odkCollectors)
        .set({ revokedAt: at })
        .where(and(eq(odkCollectors.id, id), isNull(odkCollectors.revokedAt)));
      return this.find(id, tx);
    },
  };
}
