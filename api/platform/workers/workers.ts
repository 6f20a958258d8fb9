import { Counter, Gauge, type Registry } from "prom-client";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";

/** Work that is done again and again in the background. */
export type Job = {
  /** Name in the log and the metrics; unique in a process. */
  name: string;
  /** Pause between two runs, in milliseconds. Undefined: the job runs only when it is nudged. */
  everyMs?: number;
  /** Pause before the first run, in milliseconds. Undefined: none. */
  firstAfterMs?: number;
  /** Pause after a failed run, in milliseconds. Undefined: `everyMs`. */
  retryMs?: number;
  run: (context: RunContext) => Promise<void>;
};

export type RunContext = {
  now: Date;
  /** Aborted when the worker closes. */
  signal: AbortSignal;
  /** Set the pause before the next run, in milliseconds, in place of `everyMs`. */
  pauseFor: (ms: number) => void;
};

export type WorkersOptions = { log: Log; clock: Clock; metrics?: Registry };

type Observer = { succeeded: () => void; failed: () => void };

/**
 * All periodic work of this process. Features add their jobs and close them; `close` closes what is left.
 * The cron library (`croner`) neither nudges a job nor waits for the current run on close, so this module has its own timers.
 */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #open = new Map<string, Worker>();
  readonly #runs: Counter;
  readonly #lastSuccess: Gauge;

  constructor(options: WorkersOptions) {
    this.#options = options;
    const registers = options.metrics === undefined ? [] : [options.metrics];
    this.#runs = new Counter({
      name: "hearth_worker_runs_total",
      help: "Runs of background jobs, by outcome (success, error).",
      labelNames: ["worker", "outcome"],
      registers,
    });
    this.#lastSuccess = new Gauge({
      name: "hearth_worker_last_success_timestamp_seconds",
      help: "When a background job last succeeded.",
      labelNames: ["worker"],
      registers,
    });
  }

  /** Add a job. It runs from `start` on. @throws Error when the name is taken */
  add(job: Job): Worker {
    const { name } = job;
    if (this.#open.has(name)) throw new Error(`There are two workers named ${name}.`);
    const { log, clock } = this.#options;
    const worker = new Worker(job, {
      log,
      clock,
      observer: this.#observe(name),
      onClose: () => this.#open.delete(name),
    });
    this.#open.set(name, worker);
    return worker;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((worker) => worker.close()));
  }

  #observe(name: string): Observer {
    const successes = this.#runs.labels(name, "success");
    const errors = this.#runs.labels(name, "error");
    const lastSuccess = this.#lastSuccess.labels(name);
    return {
      succeeded: () => {
        successes.inc();
        lastSuccess.set(Math.floor(this.#options.clock.now().getTime() / 1000));
      },
      failed: () => errors.inc(),
    };
  }
}

type WorkerParts = { log: Log; clock: Clock; observer: Observer; onClose: () => void };

/** Runs one job: never twice at a time, and again after a failure. */
export class Worker {
  readonly #job: Job;
  readonly #parts: WorkerParts;
  readonly #stop = new AbortController();
  #isStarted = false;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #current: Promise<void> | undefined;
  /** The run that follows the current one. */
  #next: Promise<void> | undefined;
  #failures = 0;
  #lastMessage: string | undefined;

  constructor(job: Job, parts: WorkerParts) {
    this.#job = job;
    this.#parts = parts;
  }

  start(): this {
    this.#isStarted = true;
    const { firstAfterMs } = this.#job;
    if (firstAfterMs === undefined) this.nudge();
    else this.#schedule(firstAfterMs);
    return this;
  }

  /**
   * Run within `withinMs` milliseconds, or right after the run that is in progress then. Failures are only logged.
   * Does nothing before `start`.
   */
  nudge(withinMs = 0): void {
    if (!this.#isStarted) return;
    if (withinMs > 0) this.#schedule(withinMs);
    else this.runNow().catch(() => undefined);
  }

  /**
   * Run now, or right after the run in progress. Does nothing once the worker is closed.
   * @throws what the run throws, which is logged too
   */
  runNow(): Promise<void> {
    if (this.#current === undefined) return this.#begin();
    this.#next ??= this.#current.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  /** Begin no more runs, and wait for the run in progress. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#unschedule();
    await this.#current?.catch(() => undefined);
    await this.#next?.catch(() => undefined);
    this.#parts.onClose();
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    this.#unschedule();
    const run = this.#stop.signal.aborted ? Promise.resolve() : this.#runOnce();
    this.#current = run.finally(() => {
      if (this.#next === undefined) this.#current = undefined;
    });
    return this.#current;
  }

  async #runOnce(): Promise<void> {
    const { everyMs, retryMs, run } = this.#job;
    const { clock, observer } = this.#parts;
    const { signal } = this.#stop;
    let pauseMs = everyMs;
    const pauseFor = (ms: number) => {
      pauseMs = ms;
    };
    try {
      await run({ now: clock.now(), signal, pauseFor });
      observer.succeeded();
      this.#noteSuccess();
    } catch (error) {
      pauseMs = retryMs ?? everyMs;
      observer.failed();
      this.#noteFailure(error);
      throw error;
    } finally {
      if (this.#isStarted && pauseMs !== undefined) this.#schedule(pauseMs);
    }
  }

  #noteSuccess(): void {
    const failures = this.#failures;
    this.#failures = 0;
    this.#lastMessage = undefined;
    if (failures > 0) this.#parts.log.info({ worker: this.#job.name, failures }, "background work succeeds again");
  }

  /** One line for an outage, not one for each run. */
  #noteFailure(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#failures += 1;
    const message = String(error);
    if (message === this.#lastMessage) return;
    this.#lastMessage = message;
    this.#parts.log.error({ err: error, worker: this.#job.name }, "background work failed; it is tried again");
  }

  #schedule(ms: number): void {
    const dueAt = performance.now() + ms;
    if (dueAt >= this.#dueAt || this.#stop.signal.aborted) return;
    this.#unschedule();
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => this.nudge(), ms).unref();
  }

  #unschedule(): void {
    clearTimeout(this.#timer);
    this.#dueAt = Number.POSITIVE_INFINITY;
  }
}
