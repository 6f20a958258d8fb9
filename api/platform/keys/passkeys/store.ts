import { and, desc, eq, gt, inArray, isNull, lt, sql } from "drizzle-orm";
import type { Database } from "../../db/index.ts";
import type { KeyRow } from "../store.ts";
import { apiKeys } from "../tables.ts";
import { passkeyChallenges, passkeys } from "./tables.ts";

export type PasskeyRow = typeof passkeys.$inferSelect;
export type PasskeyStore = ReturnType<typeof createPasskeyStore>;

/** Most valid keys that came from one passkey. */
const mostKeys = 5;

/** Create the store of passkeys and their challenges. */
export function createPasskeyStore(db: Database) {
  return {
    async addChallenge(row: typeof passkeyChallenges.$inferInsert, now: Date): Promise<void> {
      await db.delete(passkeyChallenges).where(lt(passkeyChallenges.expiresAt, now));
      await db.insert(passkeyChallenges).values(row);
    },
    /** Use a challenge up; false when it is unknown, used, expired, or for another purpose. */
    async takeChallenge(challenge: string, purpose: string, now: Date): Promise<boolean> {
      const taken = await db
        .delete(passkeyChallenges)
        .where(
          and(
            eq(passkeyChallenges.challenge, challenge),
            eq(passkeyChallenges.purpose, purpose),
            gt(passkeyChallenges.expiresAt, now),
          ),
        )
        .returning({ challenge: passkeyChallenges.challenge });
      return taken.length === 1;
    },
    async find(id: string): Promise<PasskeyRow | undefined> {
      const [row] = await db.select().from(passkeys).where(eq(passkeys.id, id));
      return row;
    },
    /**
     * The key and the keys that it came from by other devices, up to the first one of the person. An admin also makes keys of others,
     * so an admin's key has only itself.
     */
    async devicesUpTo(keyId: string): Promise<string[]> {
      const { rows } = await db.execute<{ id: string }>(sql`
        with recursive up as (
          select id, created_by from api_keys where id = ${keyId}
          union
          select k.id, k.created_by from api_keys k join up on k.id = up.created_by where k.role <> 'admin'
        )
        select id from up`);
      return rows.map(({ id }) => id);
    },
    /** Passkeys that these keys made, newest first. */
    list(keyIds: string[]): Promise<PasskeyRow[]> {
      return db.select().from(passkeys).where(inArray(passkeys.keyId, keyIds)).orderBy(desc(passkeys.createdAt));
    },
    /** Insert a passkey; false when the credential is known. */
    async insert(row: PasskeyRow): Promise<boolean> {
      const made = await db.insert(passkeys).values(row).onConflictDoNothing().returning({ id: passkeys.id });
      return made.length === 1;
    },
    async revoke(id: string, keyIds: string[], at: Date): Promise<PasskeyRow | undefined> {
      const own = and(eq(passkeys.id, id), inArray(passkeys.keyId, keyIds));
      await db
        .update(passkeys)
        .set({ revokedAt: at })
        .where(and(own, isNull(passkeys.revokedAt)));
      const [row] = await db.select().from(passkeys).where(own);
      return row;
    },
    /**
     * Store the key that a passkey made, and the authenticator's counter. Of the keys that came from the passkey, the newest stay
     * valid. Undefined when the passkey was revoked, or used in the meantime: then nothing is stored.
     * @returns ids of the keys that were revoked
     */
    use(row: PasskeyRow, counter: number, key: KeyRow): Promise<string[] | undefined> {
      return db.transaction(async (tx) => {
        const all = [...row.madeKeys, key.id];
        const [old, kept] = [all.slice(0, -mostKeys), all.slice(-mostKeys)];
        const [used] = await tx
          .update(passkeys)
          .set({ counter, madeKeys: kept, lastUsedAt: key.createdAt })
          .where(
            and(
              eq(passkeys.id, row.id),
              eq(passkeys.counter, row.counter),
              sql`${passkeys.madeKeys} = ${JSON.stringify(row.madeKeys)}::jsonb`,
              isNull(passkeys.revokedAt),
            ),
          )
          .returning({ id: passkeys.id });
        if (used === undefined) return undefined;
        await tx.insert(apiKeys).values(key);
        if (old.length > 0) {
          const valid = and(inArray(apiKeys.id, old), isNull(apiKeys.revokedAt));
          await tx.update(apiKeys).set({ revokedAt: key.createdAt }).where(valid);
        }
        return old;
      });
    },
  };
}
