import { lt } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import type { ProofStore } from "./dpop.ts";
import { dpopProofs } from "./tables.ts";

const sweepMs = 30_000;

/** Used proofs in memory, for the one process of the embedded default. `startedAt`: unix milliseconds of the process's start. */
export function createMemoryProofStore(startedAt: number): ProofStore {
  const used = new Map<string, number>();
  let nextSweep = 0;
  const sweep = (now: number) => {
    if (now < nextSweep) return;
    nextSweep = now + sweepMs;
    for (const [id, expiresAt] of used) if (expiresAt < now) used.delete(id);
  };
  return {
    oldestIssue: Math.floor(startedAt / 1000),
    async use(id, expiresAt) {
      sweep(Date.now());
      if (used.has(id)) return false;
      used.set(id, expiresAt.getTime());
      return true;
    },
  };
}

/** Used proofs in the database, for several processes. */
export function createDatabaseProofStore(db: Database): ProofStore {
  let nextSweep = 0;
  return {
    oldestIssue: 0,
    async use(id, expiresAt) {
      const now = Date.now();
      if (now >= nextSweep) {
        nextSweep = now + sweepMs;
        // A minute of grace: the processes' clocks may differ.
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
