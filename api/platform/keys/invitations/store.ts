import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/index.ts";
import { hashSecret, parseKey, sameHash } from "../format.ts";
import type { KeyRow } from "../store.ts";
import { apiKeys } from "../tables.ts";
import { invitations } from "./tables.ts";

export type InvitationRow = typeof invitations.$inferSelect;
export type InvitationStore = ReturnType<typeof createInvitationStore>;

/** Create the store of invitations. */
export function createInvitationStore(db: Database) {
  async function find(id: string): Promise<InvitationRow | undefined> {
    const [row] = await db.select().from(invitations).where(eq(invitations.id, id));
    return row;
  }
  const isOpen = (id: string) =>
    and(eq(invitations.id, id), isNull(invitations.acceptedAt), isNull(invitations.revokedAt));
  return {
    find,
    /** Whether a token's invitation can be accepted now. */
    async isOpenToken(token: string, now: Date): Promise<boolean> {
      const parts = parseKey(token, "hi");
      const row = parts && (await find(parts.id));
      if (parts === undefined || row === undefined || !sameHash(row.secretHash, hashSecret(parts.secret))) return false;
      return row.acceptedAt === null && row.revokedAt === null && row.expiresAt > now;
    },
    async insert(tx: Transaction, row: InvitationRow): Promise<void> {
      await tx.insert(invitations).values(row);
    },
    /**
     * Give an open invitation another secret.
     * @param former hash of the secret that it replaces
     * @returns undefined when it was revoked or got another one meanwhile
     */
    async replaceSecret(
      tx: Transaction,
      id: string,
      { former, secretHash }: { former: string; secretHash: string },
    ): Promise<InvitationRow | undefined> {
      const same = and(isOpen(id), eq(invitations.secretHash, former));
      return (await tx.update(invitations).set({ secretHash }).where(same).returning())[0];
    },
    /**
     * Insert the invitation of a key's next device, unless the key and the keys that came from each other by such invitations, with
     * the open invitations of all of them, are `most` already. Keys that an admin invited did not come from each other.
     */
    async insertForDevice(tx: Transaction, row: InvitationRow, most: number): Promise<boolean> {
      const { rows } = await tx.execute<{ id: string }>(sql`
          with recursive up as (
            select id, created_by, 0 as depth from api_keys where id = ${row.createdBy}
            union all
            select k.id, k.created_by, depth + 1 from api_keys k join up on k.id = up.created_by where k.role <> 'admin'
          )
          select id from up order by depth desc limit 1`);
      const first = rows[0]?.id;
      // Two devices that invite together wait for each other here.
      await tx.execute(sql`select id from api_keys where id = ${first} for update`);
      const now = row.createdAt.toISOString();
      const counted = await tx.execute<{ count: number }>(sql`
          with recursive devices as (
            select id, revoked_at, expires_at from api_keys where id = ${first}
            union all
            select k.id, k.revoked_at, k.expires_at from api_keys k join devices on k.created_by = devices.id
          )
          select (
            (select count(*) from devices where revoked_at is null and (expires_at is null or expires_at > ${now}::timestamptz)) +
            (select count(*) from invitations i join devices on i.created_by = devices.id
              where i.accepted_at is null and i.revoked_at is null and i.expires_at > ${now}::timestamptz)
          )::int as count`);
      if ((counted.rows[0]?.count ?? 0) >= most) return false;
      await tx.insert(invitations).values(row);
      return true;
    },
    /** List invitations, newest first, after the given position: one more than `limit`, to show whether a page follows. */
    list(limit: number, after?: { createdAt: Date; id: string }): Promise<InvitationRow[]> {
      const earlier =
        after &&
        or(
          lt(invitations.createdAt, after.createdAt),
          and(eq(invitations.createdAt, after.createdAt), lt(invitations.id, after.id)),
        );
      const ordered = db.select().from(invitations).where(earlier);
      return ordered.orderBy(desc(invitations.createdAt), desc(invitations.id)).limit(limit + 1);
    },
    /** Mark an open invitation as revoked. One that was accepted stays accepted. */
    async revoke(id: string, at: Date): Promise<InvitationRow | undefined> {
      await db.update(invitations).set({ revokedAt: at }).where(isOpen(id));
      return find(id);
    },
    /** Insert the key and mark the invitation as accepted, both or neither. False: another request was first. */
    accept(id: string, key: KeyRow): Promise<boolean> {
      return db.transaction(async (tx) => {
        const taken = { acceptedAt: key.createdAt, keyId: key.id };
        const [row] = await tx.update(invitations).set(taken).where(isOpen(id)).returning({ id: invitations.id });
        if (row === undefined) return false;
        await tx.insert(apiKeys).values(key);
        return true;
      });
    },
  };
}
