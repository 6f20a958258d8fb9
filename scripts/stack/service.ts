import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, fstatSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endWatched, spawnWatched } from "../parent-watchdog.ts";
import { configurationExitCode } from "./exit-codes.ts";

export type ServiceOptions = {
  name: string;
  /** Arguments of node. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  logFile: string;
  /** Answers 200 when the service is ready. */
  readyUrl: string;
  /** How long it may take to end after SIGTERM, in milliseconds. */
  graceMs: number;
  say: (line: string) => void;
  /** Called once, before the next start, when the service died twice without ever becoming ready. */
  repair?: () => Promise<void>;
};

/** Restart the process after at most this many ends within this many milliseconds; after one more, stop. */
const RESTARTS = 3;
const WITHIN = 120_000;
const LOG_LIMIT = 20_000_000;
/** Free bytes without which a database cannot run. */
const LEAST_FREE = 16 * 1024 * 1024;

/** A child process, which is restarted when it dies, unless it dies too often. */
export class Service {
  private readonly options: ServiceOptions;
  private child: ChildProcess | undefined;
  private stopping = false;
  private logFrom = 0;
  private wasReady = false;
  private isRepaired = false;
  private readonly ends: number[] = [];
  private reportGivenUp: (reason: string) => void = () => {};
  /** Resolves with the reason when the service cannot be kept alive. */
  readonly givenUp: Promise<string>;

  constructor(options: ServiceOptions) {
    this.options = options;
    this.givenUp = new Promise((resolve) => {
      this.reportGivenUp = resolve;
    });
    turnOver(options.logFile);
  }

  start(): void {
    const { args, env, cwd, logFile } = this.options;
    const output = openSync(logFile, "a", 0o600);
    this.logFrom = fstatSync(output).size;
    const child = spawnWatched(process.execPath, args, { env, cwd, output });
    closeSync(output);
    this.child = child;
    child.once("exit", (code, signal) => {
      // Another start reads the same configuration.
      if (code === configurationExitCode && !this.stopping) this.reportGivenUp(this.configurationErrors());
      else this.ended(signal ?? `exit code ${code}`);
    });
  }

  /** Its output for people; its log for machines stays in the file. */
  private configurationErrors(): string {
    const lines = this.said().split("\n");
    const words = lines.filter((line) => line !== "" && !line.startsWith("{"));
    return [...words, `the ${this.options.name} cannot start like this`].join("\n");
  }

  /** Its output since its last start. */
  said(): string {
    return readFileSync(this.options.logFile).subarray(this.logFrom).toString();
  }

  /** Resolves once the service answers; keeps waiting while it is started again. */
  async ready(): Promise<void> {
    while (!this.stopping && !(await answers(this.options.readyUrl))) await sleep(100);
    this.wasReady = true;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    if (this.child !== undefined) await endWatched(this.child, this.options.graceMs);
  }

  private ended(how: string): void {
    if (this.stopping) return;
    void this.endedWhileRunning(how);
  }

  private async endedWhileRunning(how: string): Promise<void> {
    const { name, logFile, say } = this.options;
    if (await isDiskFull(logFile)) {
      say(`the ${name} ended (${how}): the disk is full. It starts again when there is room.`);
      while (!this.stopping && (await isDiskFull(logFile))) await sleep(1_000);
      if (!this.stopping) this.start();
      return;
    }
    const now = Date.now();
    this.ends.push(now);
    const recent = this.ends.filter((at) => now - at < WITHIN).length;
    if (recent > RESTARTS) {
      this.reportGivenUp(
        `the ${name} ended ${recent} times (${how}). Its log, ${logFile}, ends with:\n${tail(logFile)}`,
      );
      return;
    }
    say(`the ${name} ended (${how}); starting it again. Its log: ${logFile}`);
    setTimeout(() => void this.startAgain(), 500 * recent);
  }

  private async startAgain(): Promise<void> {
    const { repair } = this.options;
    if (!this.wasReady && !this.isRepaired && this.ends.length >= 2 && repair !== undefined) {
      this.isRepaired = true;
      await repair().catch((error: unknown) => this.reportGivenUp(`the ${this.options.name}: ${String(error)}`));
    }
    if (!this.stopping) this.start();
  }
}

/** Check whether the disk of the service's log and data has too little room. */
async function isDiskFull(logFile: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(dirname(logFile));
  return bavail * bsize < LEAST_FREE;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    // Not listening yet: try again.
    return false;
  }
}

/** Limit the size of the log of earlier starts. */
function turnOver(logFile: string): void {
  if (existsSync(logFile) && statSync(logFile).size > LOG_LIMIT) renameSync(logFile, `${logFile}.1`);
}

function tail(logFile: string): string {
  return readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-15).join("\n");
}
