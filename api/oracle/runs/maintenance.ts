import type { SQL } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import type { Log } from "../../platform/log.ts";
import type { Workers } from "../../platform/workers/index.ts";
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
  workers: Workers;
};

/**
 * Start the periodic work on runs: heartbeat, abort requests, runs of dead processes, and old frames.
 * `ready` resolves once the runs that an earlier process left are closed.
 */
export function startRunMaintenance(deps: RunMaintenanceDeps): { ready: Promise<void>; close: () => Promise<void> } {
  const { store, processId, exclusive, workers } = deps;
  const maintenance = workers.add({
    name: "oracle-runs",
    everyMs: exclusive ? trimMs : heartbeatMs,
    firstAfterMs: exclusive ? trimMs : heartbeatMs,
    run: async ({ now }) => {
      await store.beat(processId, now);
      if (!exclusive) await deps.applyAbortRequests();
      // The embedded database has one process, so the runs of any other one are orphans.
      const seenBefore = new Date(now.getTime() - (exclusive ? 0 : deadMs));
      for (const row of await store.orphans(seenBefore)) {
        if (row.processId !== processId) await recoverRun(deps, row, now);
      }
    },
  });
  const trimming = workers.add({
    name: "oracle-old-frames",
    everyMs: trimMs,
    run: ({ now }) => store.trim(new Date(now.getTime() - keepFramesMs)),
  });
  const ready = maintenance.runNow();
  maintenance.start();
  trimming.start();
  const close = async () => {
    await maintenance.close();
    await trimming.close();
  };
  return { ready, close };
}
