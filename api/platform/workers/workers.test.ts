import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { Registry } from "prom-client";
import { type Job, type Worker, Workers } from "./workers.ts";

type Line = { level: number; msg: string; worker?: string; failures?: number; err?: { message: string } };

describe("workers", () => {
  let lines: Line[];
  let metrics: Registry;
  let workers: Workers;
  const now = new Date("2026-03-01T00:00:00Z");

  beforeEach(() => {
    lines = [];
    metrics = new Registry();
    const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    workers = new Workers({ log, clock: { now: () => now }, metrics });
  });
  afterEach(() => workers.close());

  const add = (job: Partial<Job> & Pick<Job, "run">): Worker => workers.add({ name: "test", ...job });
  const until = async (isDone: () => boolean) => {
    while (!isDone()) await sleep(1);
  };
  async function countOf(outcome: string): Promise<number> {
    const { values } = await (
      metrics.getSingleMetric("hearth_worker_runs_total") as NonNullable<ReturnType<Registry["getSingleMetric"]>>
    ).get();
    return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
  }

  it("runs at the start and again after each interval, with the time of the clock", async () => {
    const times: Date[] = [];
    add({ everyMs: 2, run: async (given) => void times.push(given.now) }).start();
    await until(() => times.length >= 3);
    assert.deepEqual(times.slice(0, 3), [now, now, now]);
  });

  it("waits before the first run when told to, and does nothing before it is started", async () => {
    let runs = 0;
    const worker = add({ everyMs: 1, firstAfterMs: 30, run: async () => void runs++ });
    worker.nudge();
    await sleep(5);
    assert.equal(runs, 0);
    const began = performance.now();
    worker.start();
    await until(() => runs > 0);
    assert.ok(performance.now() - began >= 29);
  });

  it("pauses as long as a run says", async () => {
    const began: number[] = [];
    const run: Job["run"] = async ({ pauseFor }) => {
      began.push(performance.now());
      pauseFor(40);
    };
    add({ everyMs: 1, run }).start();
    await until(() => began.length === 2);
    assert.ok((began[1] ?? 0) - (began[0] ?? 0) >= 39);
  });

  it("never overlaps with itself: all nudges during a run are one run after it", async () => {
    let active = 0;
    let most = 0;
    let runs = 0;
    const run = async () => {
      runs += 1;
      most = Math.max(most, ++active);
      await sleep(10);
      active -= 1;
    };
    const worker = add({ run });
    worker.start();
    const first = worker.runNow();
    worker.nudge();
    const second = worker.runNow();
    const third = worker.runNow();
    await Promise.all([first, second, third]);
    assert.deepEqual([most, runs], [1, 2]);
  });

  it("resolves runNow only after a run that began after the call", async () => {
    let value = 0;
    let seen = -1;
    const run = async () => {
      const read = value;
      await sleep(5);
      seen = read;
    };
    const worker = add({ run });
    void worker.runNow();
    value = 1;
    await worker.runNow();
    assert.equal(seen, 1);
  });

  it("brings the next run forward, and never puts it off", async () => {
    let runs = 0;
    const worker = add({ everyMs: 60_000, firstAfterMs: 60_000, run: async () => void runs++ });
    worker.start();
    worker.nudge(5);
    worker.nudge(50_000);
    await until(() => runs === 1);
  });

  it("logs and counts a failure, throws it to the caller, and continues", async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs === 1) throw new Error("no database");
    };
    const worker = add({ everyMs: 1, run });
    await assert.rejects(worker.runNow(), /no database/);
    worker.start();
    await until(() => runs >= 3);
    const [failed, recovered] = lines;
    assert.deepEqual([failed?.level, failed?.worker, failed?.err?.message], [50, "test", "no database"]);
    assert.deepEqual([recovered?.level, recovered?.worker, recovered?.failures], [30, "test", 1]);
    assert.equal(await countOf("error"), 1);
    assert.ok((await countOf("success")) >= 2);
    assert.match(await metrics.metrics(), /hearth_worker_last_success_timestamp_seconds\{worker="test"\} 1772323200/);
  });

  it("logs a lasting failure once, and another one again", async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      throw new Error(runs < 5 ? "no database" : "disk full");
    };
    add({ everyMs: 1, run }).start();
    await until(() => runs >= 8);
    assert.deepEqual(
      lines.map(({ err }) => err?.message),
      ["no database", "disk full"],
    );
    assert.ok((await countOf("error")) >= 7);
  });

  it("waits after a failure as long as the job says", async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      throw new Error("always");
    };
    add({ everyMs: 1, retryMs: 60_000, run }).start();
    await sleep(20);
    assert.equal(runs, 1);
  });

  it("closes after the run in progress, which it tells to stop, and begins none after that", async () => {
    let runs = 0;
    let ended = false;
    const run = async ({ signal }: { signal: AbortSignal }) => {
      runs += 1;
      await sleep(10_000, undefined, { signal }).catch(() => undefined);
      await sleep(5);
      ended = true;
    };
    const worker = add({ everyMs: 1, run });
    worker.start();
    const follows = worker.runNow();
    await workers.close();
    assert.equal(ended, true);
    await follows;
    worker.nudge();
    await worker.runNow();
    assert.equal(runs, 1);
  });

  it("does not log a failure that its stop caused", async () => {
    add({ run: ({ signal }) => sleep(10_000, undefined, { signal }) }).start();
    await workers.close();
    assert.deepEqual(lines, []);
  });

  it("refuses two jobs of one name, and takes the name again after the first is closed", async () => {
    const first = add({ run: async () => undefined });
    assert.throws(() => add({ run: async () => undefined }), /two workers named test/);
    await first.close();
    add({ run: async () => undefined });
  });
});
