import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/index.ts";
import { AppError, defineRules } from "../errors.ts";
import type { Workers } from "../workers/index.ts";
import { createIdempotencyStore, type RecordName, type StoredResponse } from "./store.ts";

const broken = defineRules({ "key-of-other-request": ["same-request", "Use a new key for a new request."] });

const keptMs = 7 * 24 * 3600 * 1000;
const renewMs = 10_000;
const sweepMs = 3_600_000;
const pollMs = 100;

/**
 * What to do with a request: run it under the record's id, or return the first response again. `isContinued`: an earlier attempt was
 * interrupted, so it may have changed something.
 */
export type Decision = { run: string; isContinued: boolean } | { replay: StoredResponse };

export type Idempotency = Awaited<ReturnType<typeof createIdempotency>>;

export type IdempotencyOptions = {
  db: Database;
  exclusive: boolean;
  clock: Clock;
  workers: Workers;
  /** Longest time that a second call waits for the first, in milliseconds. */
  waitMs?: number;
};

/**
 * Create the service that runs each write once per API key, route and Idempotency-Key. It stores successful responses for 7 days.
 * A write that failed with a 5xx or was interrupted by a kill keeps its record's id, so that the next attempt continues it.
 */
export async function createIdempotency({ db, exclusive, clock, workers, waitMs = 10_000 }: IdempotencyOptions) {
  const store = createIdempotencyStore(db, randomUUID());
  const running = new Map<string, Promise<void>>();
  const finishers = new Map<string, () => void>();
  if (exclusive) await store.releaseAll();
  const renewing = workers.add({
    name: "idempotency-renewal",
    everyMs: renewMs,
    firstAfterMs: renewMs,
    run: async () => {
      if (running.size > 0) await store.renew([...running.keys()]);
    },
  });
  const sweeping = workers.add({
    name: "idempotency-sweep",
    everyMs: sweepMs,
    firstAfterMs: sweepMs,
    run: ({ now }) => store.removeOlderThan(new Date(now.getTime() - keptMs)),
  });
  renewing.start();
  sweeping.start();

  function own(id: string, isContinued: boolean): Decision {
    running.set(id, new Promise((resolve) => finishers.set(id, resolve)));
    return { run: id, isContinued };
  }

  function disown(id: string): void {
    running.delete(id);
    finishers.get(id)?.();
    finishers.delete(id);
  }

  /** Check the record once: what to do, or the id of the record to wait for; undefined when it was removed meanwhile. */
  async function tryBegin(name: RecordName, requestHash: string): Promise<Decision | { wait: string } | undefined> {
    const id = randomUUID();
    if (await store.insert(id, name, requestHash, clock.now())) return own(id, false);
    const row = await store.find(name);
    if (row === undefined) return undefined;
    if (row.createdAt.getTime() < clock.now().getTime() - keptMs && row.status === "done") {
      await store.remove(row.id);
      return undefined;
    }
    if (row.requestHash !== requestHash) {
      throw new AppError("IDEMPOTENCY_CONFLICT", "This Idempotency-Key was used here for another request.", {
        details: [broken("key-of-other-request", "Idempotency-Key")],
      });
    }
    if (row.status === "done") {
      const { answerStatus, answerHeaders, answerBody: body, madeId } = row;
      const made = madeId === null ? {} : { madeId };
      return { replay: { status: answerStatus ?? 200, headers: answerHeaders ?? {}, body, ...made } };
    }
    if (!running.has(row.id) && (await store.takeOver(row.id))) return own(row.id, true);
    return { wait: row.id };
  }

  return {
    /**
     * Decide what to do with a request; wait while an equal one runs.
     * @throws AppError IDEMPOTENCY_CONFLICT for another request under the same key; IDEMPOTENCY_IN_PROGRESS when the wait is over
     */
    async begin(name: RecordName, requestHash: string): Promise<Decision> {
      const deadline = performance.now() + waitMs;
      for (;;) {
        const decision = await tryBegin(name, requestHash);
        if (decision !== undefined && !("wait" in decision)) return decision;
        const left = deadline - performance.now();
        if (left <= 0) {
          throw new AppError("IDEMPOTENCY_IN_PROGRESS", "The first request with this Idempotency-Key still runs.", {
            headers: { "Retry-After": "1" },
          });
        }
        const first = decision === undefined ? undefined : running.get(decision.wait);
        const pause = sleep(first === undefined ? Math.min(pollMs, left) : left, undefined, { ref: false });
        await (first === undefined ? pause : Promise.race([first, pause]));
      }
    },
    /** Store a successful response. It must not be sent before this resolves. */
    async finish(id: string, answer: StoredResponse): Promise<void> {
      await store.finish(id, answer);
      disown(id);
    },
    /** Delete the record of a refused request: nothing was changed, so the key is free again. */
    async forget(id: string): Promise<void> {
      await store.remove(id);
      disown(id);
    },
    /** Keep the id of a write that failed with a 5xx, or was continued and refused: the next attempt continues under it. */
    async release(id: string): Promise<void> {
      disown(id);
      await store.release(id);
    },
    /** Delete records older than 7 days. This also runs every hour. */
    sweep: () => sweeping.runNow(),
    async close(): Promise<void> {
      await renewing.close();
      await sweeping.close();
    },
  };
}
