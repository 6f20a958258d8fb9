import { createHash } from "node:crypto";
import { lt } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { fileTokenNonces } from "./tables.ts";

const sweepMs = 60_000;
/** How much longer than the token a used nonce is kept: the tolerance, and what the processes' clocks may differ by. */
const graceMs = 5 * 60_000;

export type NonceStore = {
  /** True the first time that an issuer's nonce is used. */
  use(nonce: { issuer: string; nonce: string; expiresAt: Date; now: Date }): Promise<boolean>;
};

/** Used nonces, in the database, so that neither a restart nor another process takes one twice. */
export function createNonceStore(db: Database): NonceStore {
  let nextSweep = 0;
  const sweep = async (now: number) => {
    if (now < nextSweep) return;
    nextSweep = now + sweepMs;
    await db.delete(fileTokenNonces).where(lt(fileTokenNonces.expiresAt, new Date(now - graceMs)));
  };
  return {
    async use({ issuer, nonce, expiresAt, now }) {
      await sweep(now.getTime());
      const id = createHash("sha256").update(`${issuer}\n${nonce}`).digest("hex");
      const inserted = await db
        .insert(fileTokenNonces)
        .values({ id, expiresAt })
        .onConflictDoNothing()
        .returning({ id: fileTokenNonces.id });
      return inserted.length === 1;
    },
  };
}
