import { and, eq, gt, isNull, lt } from "drizzle-orm";
import type { Database } from "../db/index.ts";
import { signInNonces, type WalletSessionRow, walletSessions } from "./tables.ts";

export type SessionStore = ReturnType<typeof openSessionStore>;

/** Open the store of sessions and of sign-in nonces. */
export function openSessionStore(db: Database) {
  return {
    async insertNonce(nonce: string, expiresAt: Date): Promise<void> {
      await db.insert(signInNonces).values({ nonce, expiresAt });
    },
    async hasNonce(nonce: string, now: Date): Promise<boolean> {
      const known = and(eq(signInNonces.nonce, nonce), gt(signInNonces.expiresAt, now));
      return (await db.$count(signInNonces, known)) === 1;
    },
    /** Use up the nonce and begin its session, both or neither; false when the nonce was used already. */
    begin(nonce: string, row: WalletSessionRow): Promise<boolean> {
      return db.transaction(async (tx) => {
        const used = await tx.delete(signInNonces).where(eq(signInNonces.nonce, nonce)).returning();
        if (used.length === 0) return false;
        await tx.insert(walletSessions).values(row);
        return true;
      });
    },
    async find(id: string): Promise<WalletSessionRow | undefined> {
      const [row] = await db.select().from(walletSessions).where(eq(walletSessions.id, id));
      return row;
    },
    async actAs(id: string, standing: Pick<WalletSessionRow, "actsAs" | "participant">): Promise<void> {
      await db.update(walletSessions).set(standing).where(eq(walletSessions.id, id));
    },
    /** End a session. A second call keeps the first time. */
    async end(id: string, at: Date): Promise<void> {
      await db
        .update(walletSessions)
        .set({ endedAt: at })
        .where(and(eq(walletSessions.id, id), isNull(walletSessions.endedAt)));
    },
    /** Delete sessions and nonces that ended before the given time. */
    async sweep(before: Date): Promise<void> {
      await db.delete(signInNonces).where(lt(signInNonces.expiresAt, before));
      await db.delete(walletSessions).where(lt(walletSessions.expiresAt, before));
    },
  };
}
