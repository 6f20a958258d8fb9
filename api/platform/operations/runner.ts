import { randomUUID } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Database, Transaction } from "../db/index.ts";
import { AppError, type RuleDetail } from "../errors.ts";
import type { Actor } from "../http/index.ts";
import type { Log } from "../log.ts";
import type { Workers } from "../workers/index.ts";
import { OperationCancelled, OperationWaits } from "./endings.ts";
import {
  createOperationStore,
  LeaseLostError,
  type OperationRow,
  type OperationStore,
  type Progress,
  type QueuedRow,
  type RowResult,
} from "./store.ts";
import type { OperationStatus } from "./tables.ts";

const concurrency = 4;
const renewMs = 5_000;
const pollMs = 1_000;
/** Number of unexpected failures after which an operation fails. A kill is not counted. */
const maxAttempts = 5;

/** Argument of an operation's code. After a kill the operation runs again, from its unanswered rows. */
export type OperationJob = {
  id: string;
  input: unknown;
  /** The caller that started it. */
  actor: Actor;
  /** Aborted when the server stops or another process has taken over; return as soon as possible. */
  signal: AbortSignal;
  /** Return the next rows without an answer, in order, from index `from` (default 0); none when the work is done. */
  nextRows: (limit: number, from?: number) => Promise<QueuedRow[]>;
  /** Store answers and count them; within `tx` if given, so that the work and its answer are stored together or not at all. */
  finishRows: (answers: RowResult[], tx?: Transaction) => Promise<void>;
  /** Set the progress of an operation without rows. */
  progress: (progress: Progress) => Promise<void>;
};

/**
 * Code of an operation. Its return value becomes the operation's `result`. An AppError below 500 ends it as failed; other errors
 * are retried. OperationWaits pauses it, OperationCancelled ends it as cancelled.
 */
export type OperationRun = (job: OperationJob) => Promise<unknown>;

export type Operations = Awaited<ReturnType<typeof createOperations>>;
export type OperationsOptions = { db: Database; exclusive: boolean; clock: Clock; log: Log; workers: Workers };

/** Open the runner of operations. One process at a time runs each operation; another takes over when that process dies. */
export async function createOperations({ db, exclusive, clock, log, workers }: OperationsOptions) {
  const store = createOperationStore(db, randomUUID());
  const runs = new Map<string, OperationRun>();
  const active = new Map<Promise<void>, AbortController>();
  if (exclusive) await store.releaseAll();

  const claiming = workers.add({
    name: "operations",
    everyMs: pollMs,
    run: async ({ signal }) => {
      while (runs.size > 0 && active.size < concurrency && !signal.aborted) {
        const operation = await store.claim([...runs.keys()]);
        if (operation === undefined) break;
        begin(operation);
      }
    },
  });

  function begin(operation: OperationRow): void {
    const abort = new AbortController();
    const run = runs.get(operation.type) as OperationRun;
    const work = runOperation(operation, run, abort, { store, clock, log }).finally(() => {
      active.delete(work);
      claiming.nudge();
    });
    active.set(work, abort);
  }

  const obstacles: (() => RuleDetail | undefined)[] = [];

  return {
    store,
    /** Add a check that returns the reason why no running operation can continue, or undefined. */
    addObstacle(obstacle: () => RuleDetail | undefined): void {
      obstacles.push(obstacle);
    },
    /** The reason why no running operation can continue now. */
    obstacle: (): RuleDetail | undefined => obstacles.map((find) => find()).find((each) => each !== undefined),
    /** Look for work now. */
    wake: () => claiming.nudge(),
    /** Define the code of operations of a type. Call this before `start`. */
    define(type: string, run: OperationRun): void {
      if (runs.has(type)) throw new Error(`Operations of type ${type} are defined twice.`);
      runs.set(type, run);
    },
    /** Start to run operations, interrupted ones first. */
    start(): void {
      claiming.start();
    },
    /** Stop. Running operations are released and continue at the next start. */
    async close(): Promise<void> {
      await claiming.close();
      for (const abort of active.values()) abort.abort(new Error("The server stops."));
      await Promise.allSettled(active.keys());
    },
  };
}

type Context = { store: OperationStore; clock: Clock; log: Log };

async function runOperation(
  operation: OperationRow,
  run: OperationRun,
  abort: AbortController,
  ctx: Context,
): Promise<void> {
  const { id, type } = operation;
  const { store, clock, log } = ctx;
  const renewing = setInterval(() => store.renew(id).catch((error: unknown) => abort.abort(error)), renewMs).unref();
  try {
    const result = await run(toJob(operation, abort.signal, ctx));
    if (abort.signal.aborted) throw abort.signal.reason;
    const { done, total, failed } = (await store.find(id)) ?? operation;
    await store.finish(id, {
      status: finalStatus({ done, total, failed }),
      result: result ?? null,
      updatedAt: clock.now(),
    });
    log.info({ operationId: id, type, done, failed }, "operation finished");
  } catch (error) {
    if (error instanceof LeaseLostError) log.warn({ operationId: id, type }, "operation taken over by another process");
    else
      await settleThrown(operation, error, abort.signal.aborted, ctx).catch((err: unknown) =>
        log.error({ err, operationId: id }, "operation's end not kept"),
      );
  } finally {
    clearInterval(renewing);
  }
}

function toJob({ id, input, actor }: OperationRow, signal: AbortSignal, { store, clock }: Context): OperationJob {
  return {
    id,
    input,
    actor,
    signal,
    nextRows: async (limit, from = 0) => (signal.aborted ? [] : store.queuedRows(id, limit, from)),
    finishRows: (answers, tx) => store.finishRows(id, answers, clock.now(), tx),
    progress: (progress) => store.progress(id, progress, clock.now()),
  };
}

function finalStatus({ total, failed }: Progress): OperationStatus {
  if (failed === 0) return "succeeded";
  return failed >= total ? "failed" : "partial";
}

async function settleThrown(
  operation: OperationRow,
  thrown: unknown,
  stopping: boolean,
  { store, clock, log }: Context,
): Promise<void> {
  const { id, type } = operation;
  if (stopping) return store.release(id, operation.attempts);
  if (thrown instanceof OperationWaits) {
    log.info({ operationId: id, type, until: thrown.until }, "operation waits");
    return store.wait(id, thrown.until, clock.now());
  }
  if (thrown instanceof OperationCancelled) {
    log.info({ operationId: id, type }, "operation cancelled");
    return store.finish(id, { status: "cancelled", result: { reason: thrown.message }, updatedAt: clock.now() });
  }
  if (thrown instanceof AppError && thrown.status < 500) {
    const error = { code: thrown.code, message: thrown.message, details: thrown.details };
    return store.finish(id, { status: "failed", error, updatedAt: clock.now() });
  }
  const attempts = operation.attempts + 1;
  log.error({ err: thrown, operationId: id, type, attempts }, "operation failed");
  if (attempts < maxAttempts) return store.release(id, attempts, 2 ** operation.attempts);
  const error = { code: "INTERNAL", message: "Something went wrong on our side. It has been recorded." };
  return store.finish(id, { status: "failed", error, updatedAt: clock.now() });
}
