import type { SQL } from "drizzle-orm";
import type { Database } from "../../platform/db/client.ts";
import type { Log } from "../../platform/log.ts";
import { recoverRun } from "./recover-run.ts";
import type { RunOutcome, RunStore } from "./run-store.ts";

/** How often a process writes that it is alive, in milliseconds. */
const heartbeatMs = 2_000;
/** How long a process may be silent before it counts as dead, in milliseconds. */
const deadMs = 15_000;
/** How long the frames of an ended run are kept, in milliseconds. */
const keepFramesMs = 24 * 3600_000;
const trimMs = 3600_000;

export type RunMaintenanceDeps = {
  db: Database;
  store: RunStore;
  processId: string;
  /** True when this is the only process on the database. */
  exclusive: boolean;
  applyAbortRequests: () => Promise<void>;
  releaseCharge: (status: RunOutcome) => SQL;
  clock: { now: () => Date };
  log: Log;
};

/** Start the periodic work on runs: heartbeat, abort requests, runs of dead processes, and old frames. */
export function startRunMaintenance(deps: RunMaintenanceDeps): { ready: Promise<void>; stop: () => Promise<void> } {
  const { store, processId, exclusive, clock, log } = deps;
  let working: Promise<void> = Promise.resolve();
  let trimAt = 0;
  const maintain = async () => {
    const now = clock.now().getTime();
    await store.beat(processId, clock.now());
    if (!exclusive) await deps.applyAbortRequests();
    // The embedded database has one process, so the runs of any other one are orphans.
    const seenBefore = new Date(now - (exclusive ? 0 : deadMs));
    for (const row of await store.orphans(seenBefore)) {
      if (row.processId !== processId) await recoverRun(deps, row, clock.now());
    }
    if (now < trimAt) return;
    trimAt = now + trimMs;
    await store.trim(new Date(now - keepFramesMs));
  };
  const maintainNext = () => {
    working = working.then(maintain).catch((error: unknown) => log.error({ err: error }, "maintenance of runs failed"));
  };
  const ready = maintain();
  const timer = setInterval(maintainNext, exclusive ? trimMs : heartbeatMs).unref();
  const stop = async () => {
    clearInterval(timer);
    await working;
  };
  return { ready, stop };
}
