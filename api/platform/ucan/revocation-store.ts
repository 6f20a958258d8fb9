import { and, asc, eq, gt, inArray, or, sql } from "drizzle-orm";
import { type Database, type Transaction, together } from "../db/index.ts";
import { fileRevocations } from "./tables.ts";

export type RevocationRow = typeof fileRevocations.$inferSelect;

/** Which revocations a list shows: those of the namespace, if given, and those that concern the DID. */
export type RevocationViewer = { namespace: string | undefined; did: string };
export type RevocationStore = ReturnType<typeof createRevocationStore>;

/**
 * Create the store of revoked UCANs. A process with exclusive use of the database caches them; otherwise they are queried for each
 * token, so that a revocation by any process takes effect immediately. Requests of the same moment share that query.
 */
export function createRevocationStore({ db, exclusive }: { db: Database; exclusive: boolean }) {
  let known: Promise<Set<string>> | undefined;
  const listeners = new Set<() => void>();
  const asked = sql`select jsonb_array_elements_text(${sql.placeholder("identities")}::jsonb)`;
  const statement = db
    .select({ identity: fileRevocations.identity })
    .from(fileRevocations)
    .where(sql`${fileRevocations.identity} = any(array(${asked}))`)
    .prepare("revoked_among");
  const readAll = async () => {
    const live = or(
      sql`${fileRevocations.expiresAt} is null`,
      sql`${fileRevocations.expiresAt} > now() - interval '1 day'`,
    );
    const rows = await db.select({ identity: fileRevocations.identity }).from(fileRevocations).where(live);
    return new Set(rows.map(({ identity }) => identity));
  };
  const allKnown = () => {
    known ??= readAll().catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  const isRevoked = together(async (identities: readonly string[]) => {
    const rows = await statement.execute({ identities: JSON.stringify(identities) });
    const revoked = new Set(rows.map(({ identity }) => identity));
    return identities.map((identity) => revoked.has(identity));
  });

  return {
    /** Those of the identities that are revoked. */
    async revokedAmong(identities: string[]): Promise<Set<string>> {
      if (exclusive) {
        const all = await allKnown();
        return new Set(identities.filter((identity) => all.has(identity)));
      }
      const answers = await Promise.all(identities.map(isRevoked));
      return new Set(identities.filter((_, at) => answers[at]));
    },
    /** Insert the row in the transaction; false when it existed. */
    async insert(tx: Transaction, row: RevocationRow): Promise<boolean> {
      const inserted = await tx
        .insert(fileRevocations)
        .values(row)
        .onConflictDoNothing()
        .returning({ identity: fileRevocations.identity });
      return inserted.length === 1;
    },
    /** Must be called after the row is committed and before the response. */
    async committed(identity: string): Promise<void> {
      if (exclusive) (await allKnown()).add(identity);
      for (const listener of listeners) listener();
    },
    /** Call a function after each revocation by this process. */
    onCommitted(listener: () => void): void {
      listeners.add(listener);
    },
    async find(identity: string): Promise<RevocationRow | undefined> {
      const [row] = await db.select().from(fileRevocations).where(eq(fileRevocations.identity, identity));
      return row;
    },
    async findByCid(cids: string[]): Promise<RevocationRow | undefined> {
      const [row] = await db.select().from(fileRevocations).where(inArray(fileRevocations.cid, cids)).limit(1);
      return row;
    },
    /** Oldest first, one more than `limit`. */
    list(viewer: RevocationViewer, limit: number, after?: { at: Date; identity: string }): Promise<RevocationRow[]> {
      const { owner, issuer, audience, revokedBy, revokedAt, identity } = fileRevocations;
      const own = or(eq(issuer, viewer.did), eq(audience, viewer.did), eq(revokedBy, viewer.did));
      const shown = viewer.namespace === undefined ? own : or(eq(owner, viewer.namespace), own);
      const later = after && or(gt(revokedAt, after.at), and(eq(revokedAt, after.at), gt(identity, after.identity)));
      const rows = db.select().from(fileRevocations).where(and(shown, later));
      return rows.orderBy(asc(revokedAt), asc(identity)).limit(limit + 1);
    },
  };
}
