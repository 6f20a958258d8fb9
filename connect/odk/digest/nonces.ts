import { randomBytes } from "node:crypto";
import { lt } from "drizzle-orm";
import type { Database } from "../../../api/platform/db/index.ts";
import { sameHash } from "../../../api/platform/keys/index.ts";
import type { RoomHost } from "../../room.ts";
import { odkNonces } from "../tables.ts";

/** How long a nonce is accepted. A phone that sends a large record by a slow network should not need a new one for each request. */
const lifeMs = 30 * 60_000;
/** How far the clocks of two processes may differ. */
const skewMs = 60_000;
const sweepMs = 60_000;
const form = /^((\d{1,15})\.[\w-]{22})\.([0-9a-f]{64})$/;

export type Nonces = ReturnType<typeof createNonces>;

/**
 * Create the nonces of HTTP Digest. One is the time and random bytes with a keyed hash, so that a request without a password stores
 * nothing, and every process knows the nonces of the others. Only a nonce that was used with the right password has a row, with its count.
 */
export function createNonces({ db, clock, secretBox }: Pick<RoomHost, "db" | "clock" | "secretBox">) {
  const macOf = (made: string) => secretBox.hash(`odk digest nonce ${made}`);
  let nextSweep = 0;
  return {
    /** Make a nonce. */
    issue(): string {
      const made = `${clock.now().getTime()}.${randomBytes(16).toString("base64url")}`;
      return `${made}.${macOf(made)}`;
    },
    /**
     * Use a nonce once more, after the password was checked.
     * @param count the request's `nc`
     * @returns false when the nonce is not ours or expired, or when the collector used this count or a higher one before
     */
    async use(collectorId: string, nonce: string, count: number): Promise<boolean> {
      const [, made, time, mac] = form.exec(nonce) ?? [];
      if (made === undefined || mac === undefined || !sameHash(mac, macOf(made))) return false;
      const now = clock.now().getTime();
      const age = now - Number(time);
      if (age < -skewMs || age >= lifeMs) return false;
      if (performance.now() >= nextSweep) {
        nextSweep = performance.now() + sweepMs;
        await removeExpired(db, new Date(now - skewMs));
      }
      return await raise(db, { collectorId, nonce: made, count, expiresAt: new Date(Number(time) + lifeMs) });
    },
  };
}

/** Store a count that is higher than the one before, in one statement, also when two processes do so at the same time. */
async function raise(db: Database, row: typeof odkNonces.$inferInsert): Promise<boolean> {
  const { collectorId, nonce, count } = odkNonces;
  const raised = await db
    .insert(odkNonces)
    .values(row)
    .onConflictDoUpdate({
      target: [collectorId, nonce],
      set: { count: row.count },
      setWhere: lt(count, row.count),
    })
    .returning({ count });
  return raised.length === 1;
}

async function removeExpired(db: Database, before: Date): Promise<void> {
  await db.delete(odkNonces).where(lt(odkNonces.expiresAt, before));
}
