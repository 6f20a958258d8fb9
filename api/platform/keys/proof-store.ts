import { lt } from "drizzle-orm";
import type { Database } from "../db/index.ts";
import type { ProofStore } from "./dpop.ts";
import { dpopProofs } from "./tables.ts";

const sweepMs = 30_000;

/** Store used proofs in the database, so that all processes share them and a restart loses none. */
export function createProofStore(db: Database): ProofStore {
  let nextSweep = 0;
  return {
    async use(id, expiresAt) {
      const now = Date.now();
      if (now >= nextSweep) {
        nextSweep = now + sweepMs;
        // One more minute, because the processes' clocks may differ.
        await db.delete(dpopProofs).where(lt(dpopProofs.expiresAt, new Date(now - 60_000)));
      }
      const inserted = await db
        .insert(dpopProofs)
        .values({ id, expiresAt })
        .onConflictDoNothing()
        .returning({ id: dpopProofs.id });
      return inserted.length === 1;
    },
  };
}
