import { createHash } from "node:crypto";
import { lt } from "drizzle-orm";
import type { Database } from "../db/index.ts";
import { fileTokenNonces } from "./tables.ts";

const sweepMs = 60_000;
/** How long a used nonce is kept after its token expires, to allow for clocks that differ. */
const graceMs = 5 * 60_000;

export type NonceStore = {
  /** True for the first use of an issuer's nonce. */
  use(nonce: { issuer: string; nonce: string; expiresAt: Date; now: Date }): Promise<boolean>;
};

/** Stores used nonces in the database, so that no process accepts one twice, also after a restart. */
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
