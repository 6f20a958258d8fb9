import { randomUUID } from "node:crypto";
import type { Worker } from "../../../api/platform/workers/index.ts";
import { HearthError } from "../../../wire/src/index.ts";
import type { RoomHost } from "../../room.ts";
import { CadTrustRefusal, CadTrustUnavailable } from "../node/errors.ts";
import { openServer } from "../node/server.ts";
import type { CadTrustStore } from "../store.ts";
import type { RunRow, SettingsRow } from "../tables.ts";
import type { Attempt, Outcome } from "./attempt.ts";
import { LostRunError } from "./lost-run-error.ts";
import { attemptRun } from "./run-attempt.ts";

const everyMs = 2_000;
/** How soon a publication is found that another process left behind. One that is started here wakes it. */
const idleMs = 60_000;
/** How long a process keeps a publication without a sign of life. */
const leaseMs = 120_000;
const firstPauseMs = 10_000;
const longestPauseMs = 30 * 60_000;
const maxFailures = 12;
/** How long what was read from the index is used. */
const memoryMs = 60_000;

type Memory = Attempt["memory"] & { runId: string; until: number };

/** Where the console shows a block's trace. */
export const traceLink = (publicUrl: string, blockId: string): string =>
  `${publicUrl}/console/regulator/trace/${blockId}`;

/** Open the requests to the server of the settings. */
export function serverOf({ secretBox, callOutside }: RoomHost, settings: SettingsRow, signal?: AbortSignal) {
  const { serverUrl: url, sealedApiKey } = settings;
  const apiKey = sealedApiKey === null ? null : secretBox.open(sealedApiKey);
  return openServer(callOutside, { url, apiKey }, signal);
}

/** Carries out open publications in the background, one at a time. It continues those of a process that ended. */
export function addPublisher(host: RoomHost, store: CadTrustStore): Worker {
  const worker = randomUUID();
  let memory: Memory = { runId: "", until: 0 };
  return host.workers.add({
    name: "cad-trust-publisher",
    everyMs: idleMs,
    firstAfterMs: everyMs,
    retryMs: everyMs,
    run: async ({ now, signal, pauseFor }) => {
      const run = await store.takeRun(worker, now, new Date(now.getTime() + leaseMs));
      if (run === undefined) {
        // One that waits, or that another process has, is looked at often.
        if (await store.isAnyOpen()) pauseFor(everyMs);
        return;
      }
      pauseFor(everyMs);
      try {
        if (memory.runId !== run.id || memory.until < now.getTime() || run.failures > 0) {
          memory = { runId: run.id, until: now.getTime() + memoryMs };
        }
        const pauseMs = await carryOut({ host, store, worker, signal, memory }, run);
        pauseFor(Math.min(pauseMs, everyMs));
      } catch (error) {
        if (!(error instanceof LostRunError)) throw error;
      }
    },
  });
}

type Means = { host: RoomHost; store: CadTrustStore; worker: string; signal: AbortSignal; memory: Memory };

/** Make one attempt and record its outcome. @returns when to look again, in milliseconds */
async function carryOut({ host, store, worker, signal, memory }: Means, run: RunRow): Promise<number> {
  const now = () => host.clock.now();
  const counts = { created: run.created, edited: run.edited, removed: run.removed };
  const change = async (values: Partial<RunRow>) => {
    if (!(await store.changeRun(run.id, worker, { ...values, ...counts }))) throw new LostRunError();
  };
  const keep = () => change({ nextTryAt: new Date(now().getTime() + leaseMs) });
  const after = (ms: number) => new Date(now().getTime() + ms);
  const end = (status: "published" | "failed", message: string | null, problems: RunRow["problems"]) =>
    change({ status, message, problems, endedAt: now() });
  try {
    await change({ status: "running" });
    const settings = await store.settings();
    if (settings === undefined || settings.serverUrl !== run.server) {
      await end("failed", "The settings name another server now.", []);
      return everyMs;
    }
    const attempt: Attempt = {
      run,
      store,
      server: { url: run.server, requests: serverOf(host, settings, signal) },
      client: host.client(),
      profile: settings.profile,
      linkOf: (blockId) => traceLink(host.publicUrl, blockId),
      now,
      counts,
      memory,
      keep,
    };
    const outcome: Outcome = await attemptRun(attempt);
    if (outcome.status !== "waiting") {
      await end(outcome.status, outcome.message, outcome.problems);
      return everyMs;
    }
    const { message, pauseMs } = outcome;
    await change({ status: "waiting", message, failures: 0, nextTryAt: after(pauseMs) });
    return pauseMs;
  } catch (error) {
    if (error instanceof LostRunError) throw error;
    if (signal.aborted) {
      // Another process, or this one after its restart, continues immediately.
      await change({ status: "waiting", nextTryAt: now() });
      return everyMs;
    }
    const failures = run.failures + 1;
    const message = error instanceof Error ? error.message : "unknown";
    if (!isPassing(error) || failures >= maxFailures) await end("failed", message, []);
    else {
      const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
      await change({ status: "waiting", message, failures, nextTryAt: after(pauseMs) });
    }
    if (isExpected(error)) return everyMs;
    throw error;
  }
}

const isExpected = (error: unknown): boolean =>
  error instanceof CadTrustUnavailable || error instanceof CadTrustRefusal || error instanceof HearthError;

/** Whether a later attempt may succeed: the server or the index was away, or our own database failed. */
function isPassing(error: unknown): boolean {
  if (error instanceof CadTrustRefusal) return false;
  return error instanceof HearthError ? error.isPassing : true;
}
