import { lt } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/index.ts";
import type { ProofStore } from "./dpop.ts";
import { dpopProofs } from "./tables.ts";

const sweepMs = 30_000;

/** Store used proofs in the database, so that all processes share them and a restart loses none. */
export function createProofStore(db: Database, clock: Clock): ProofStore {
  let nextSweep = 0;
  return {
    async use(id, expiresAt) {
      if (performance.now() >= nextSweep) {
        nextSweep = performance.now() + sweepMs;
        // One more minute, because the processes' clocks may differ.
        await db.delete(dpopProofs).where(lt(dpopProofs.expiresAt, new Date(clock.now().getTime() - 60_000)));
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
