import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileSteps } from "../../api/files/steps.ts";
import { shortLife } from "../../scripts/testing/short-life.ts";
import { placeDatabase } from "../support/database.ts";
import { startPostgres } from "../support/postgres.ts";
import { startS3, testS3Credentials } from "../support/s3.ts";
import { Expectation } from "./expectation.ts";
import type { Command, Inspection, Word } from "./protocol.ts";

export type Engine = "pglite" | "postgres";
export type CrashOptions = { engine: Engine; kills: number; log?: (line: string) => void };
export type CrashReport = {
  kills: number;
  /** Where the process was killed: a step's name, `anywhere` in its work, or `starting`. */
  killedAt: Record<string, number>;
  /** Operations that were acknowledged, and that a kill cut off: of those, how many had been done. */
  acknowledged: number;
  cutOff: number;
  doneThough: number;
  /** Blobs and secrets without a name that the checks collected. */
  collected: number;
  events: number;
  seconds: number;
};

/** Writes after which a process is killed at the latest, and the most time that it gets, in milliseconds. */
const mostWrites = 40;
const longestWork = 5000;
const writers = [
  ["did:key:z6MkAlice", "/one"],
  ["did:key:z6MkAlice", "/two"],
  ["did:key:z6MkBob", "/one"],
] as const;

/** Start, check, write, kill, again and again. @throws AssertionError at the first store that is not as acknowledged */
export async function crashAgainAndAgain({ engine, kills, log }: CrashOptions): Promise<CrashReport> {
  const began = performance.now();
  const place = await (engine === "pglite" ? embeddedPlace() : sharedPlace());
  const expectation = new Expectation(writers.map(([owner, folder]) => ({ owner, folder, files: [] })));
  const report: CrashReport = {
    kills: 0,
    killedAt: {},
    acknowledged: 0,
    cutOff: 0,
    doneThough: 0,
    collected: 0,
    events: 0,
    seconds: 0,
  };
  let next = new Victim(place.env());
  try {
    while (report.kills < kills) {
      const victim = next;
      // The next process loads its code while this one works.
      next = new Victim(place.env());
      const killedAt = await live(victim, expectation, report);
      report.kills += 1;
      report.killedAt[killedAt] = (report.killedAt[killedAt] ?? 0) + 1;
      if (report.kills % 50 === 0)
        log?.(`${engine}: ${report.kills} kills, ${report.acknowledged} acknowledged writes`);
    }
    await next.open();
    settle(expectation, report, await next.inspection());
  } finally {
    // The error that broke the loop reports a failure.
    await next.kill().catch(() => undefined);
    await place.remove();
  }
  report.seconds = (performance.now() - began) / 1000;
  return report;
}

/** One life, from the opening to the kill. */
async function live(victim: Victim, expectation: Expectation, report: CrashReport): Promise<string> {
  await victim.open();
  if (randomInt(12) === 0) {
    // While it repairs what the last kill left.
    await sleep(randomInt(600));
    await victim.kill();
    return "starting";
  }
  settle(expectation, report, await victim.inspection());
  const step =
    randomInt(2) === 0
      ? { name: fileSteps[randomInt(fileSteps.length)] ?? "write-begun", count: randomInt(1, 6) }
      : undefined;
  const command: Command = { go: true, writers: expectation.writers, ...(step === undefined ? {} : { step }) };
  const enough = Promise.withResolvers<void>();
  let left = step === undefined ? randomInt(mostWrites) : Number.POSITIVE_INFINITY;
  if (left === 0) enough.resolve();
  await victim.work(command, (word) => {
    if ("begin" in word) return expectation.begin(word.writer, word.begin);
    expectation.done(word.writer, word.id);
    report.acknowledged += 1;
    left -= 1;
    if (left === 0) enough.resolve();
  });
  const working = enough.promise.then(() => sleep(randomInt(40)));
  const isOver = await Promise.race([victim.ended.then(() => true), working, sleep(longestWork)]);
  await victim.kill();
  return isOver === true && step !== undefined ? step.name : "anywhere";
}

function settle(expectation: Expectation, report: CrashReport, found: Inspection): void {
  assert.deepEqual(found.wrong, [], "fsck finds what no kill may leave");
  const { cutOff, doneThough } = expectation.settle(found.found);
  assert.ok(found.events >= report.events, "the audit has lost events");
  assert.equal(found.checked.blobs - found.orphanBlobs, found.checked.versions, "each version has one blob");
  report.cutOff += cutOff;
  report.doneThough += doneThough;
  report.collected += found.collected;
  report.events = found.events;
}

type Place = { env: () => Record<string, string>; remove: () => Promise<void> };

async function embeddedPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-crash-"));
  await placeDatabase(folder);
  return { env: () => ({ DATA_DIR: folder }), remove: () => rm(folder, { recursive: true, force: true }) };
}

async function sharedPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-crash-"));
  const [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
  const [database, bucket] = await Promise.all([postgres.createDatabase(), s3.createBucket()]);
  const shared = { DATA_DIR: folder, BLOB_URL: bucket, VFS_KEK: randomBytes(32).toString("hex"), ...testS3Credentials };
  let lives = 0;
  return {
    env: () => ({ ...shared, DATABASE_URL: `${database}?application_name=life-${++lives}` }),
    async remove() {
      await s3.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A process with the store, from the outside. */
class Victim {
  readonly #child: ChildProcess;
  readonly ended: Promise<unknown>;
  #listener: (word: Word) => void = () => {};
  #worker: (word: Extract<Word, { writer: number }>) => void = () => {};
  #failure: string | undefined;
  #errors = "";

  constructor(env: Record<string, string>) {
    this.#child = spawn(process.execPath, [...shortLife, join(import.meta.dirname, "process.ts")], {
      // Most of a life is loading code.
      env: { NODE_COMPILE_CACHE: join(tmpdir(), "hearth-compile-cache"), ...process.env, LOG_LEVEL: "silent", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.ended = once(this.#child, "close");
    const { stdin, stdout, stderr } = this.#child;
    if (stdin === null || stdout === null || stderr === null) throw new Error("The process has no pipes.");
    stdin.on("error", () => {});
    stderr.on("data", (text: Buffer) => {
      this.#errors += text.toString();
    });
    createInterface({ input: stdout }).on("line", (line) => this.#hear(JSON.parse(line) as Word));
  }

  async open(): Promise<void> {
    this.#send({ open: true });
  }

  /** What it found when it opened. */
  async inspection(): Promise<Inspection> {
    return await this.#next((word) => ("found" in word ? word : undefined));
  }

  /** Let it write; `listener` hears of each operation, also of those that it told just before its end. */
  async work(command: Command, listener: (word: Extract<Word, { writer: number }>) => void): Promise<void> {
    this.#worker = listener;
    const going = this.#next((word) => ("going" in word ? true : undefined));
    this.#send(command);
    await going;
  }

  /** End it, and wait until all that it said is heard. @throws Error when it had failed by itself */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
    if (this.#failure !== undefined) throw new Error(`The process failed: ${this.#failure}`);
  }

  #send(command: Command): void {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  #hear(word: Word): void {
    if ("failed" in word) this.#failure ??= word.failed;
    if ("writer" in word) this.#worker(word);
    else this.#listener(word);
  }

  async #next<T>(wanted: (word: Word) => T | undefined): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#listener = (word) => {
      const found = wanted(word);
      if (found !== undefined) resolve(found);
      else if ("failed" in word) reject(new Error(`The process failed: ${word.failed}`));
    };
    this.ended.then(() => reject(new Error(`The process ended by itself.\n${this.#errors}`)));
    return await promise;
  }
}
