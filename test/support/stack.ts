import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts } from "./ports.ts";

export type StackOptions = {
  /** Kept when it is given; else a fresh folder that `remove` deletes. */
  dataDir?: string;
  env?: Record<string, string>;
};

export const stackAdminKey = "admin-key-of-the-whole-system-tests";
const startMs = 240_000;
/** A system of the tests lives for a minute or two, so better code for WebAssembly (PGlite) does not earn back its compilation. */
const nodeOptions = ["--liftoff-only"];
const script = join(import.meta.dirname, "../../scripts/dev-stack.ts");

/**
 * The whole system as `npm start` runs it, in separate processes on free ports. It may be started, ended and killed repeatedly.
 */
export class Stack {
  readonly dataDir: string;
  readonly url: string;
  readonly indexerUrl: string;
  readonly rpcUrl: string;
  /** What it printed, of all its starts. */
  output = "";
  private readonly env: NodeJS.ProcessEnv;
  private key = stackAdminKey;
  private child: ChildProcess | undefined;

  constructor({ dataDir, env }: StackOptions, [port, indexerPort, chainPort]: number[]) {
    this.dataDir = dataDir ?? mkdtempSync(join(tmpdir(), "hearth-stack-"));
    this.url = `http://127.0.0.1:${port}`;
    this.indexerUrl = `http://127.0.0.1:${indexerPort}`;
    this.rpcUrl = `http://127.0.0.1:${chainPort}`;
    this.env = {
      ...process.env,
      PORT: String(port),
      INDEXER_PORT: String(indexerPort),
      CHAIN_PORT: String(chainPort),
      DATA_DIR: this.dataDir,
      ADMIN_API_KEY: stackAdminKey,
      REQUESTS_PER_MINUTE: "1000000",
      // It ends with the test that started it, however that ends.
      HEARTH_LAUNCHER_PID: String(process.pid),
      ...env,
    };
  }

  get pid(): number {
    return this.child?.pid as number;
  }

  /** Begin a start, without waiting for it. */
  spawn(): void {
    const child = spawn(process.execPath, [...nodeOptions, script], {
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (this.output += chunk));
    this.child = child;
  }

  /** Start and wait until everything is ready. */
  async start(): Promise<void> {
    const printed = this.output.length;
    this.spawn();
    await this.ready();
    while (this.child?.exitCode === null && !this.output.slice(printed).includes("Hearth is ready")) await sleep(50);
  }

  async ready(): Promise<void> {
    for (const until = Date.now() + startMs; Date.now() < until; await sleep(100)) {
      if (this.child?.exitCode !== null) throw new Error(`The system ended at its start:\n${this.output}`);
      const answer = await fetch(`${this.url}/ready`).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.status === 200) return;
    }
    throw new Error(`The system was not ready in time:\n${this.output}`);
  }

  /** End it as Ctrl-C does; answers the exit code. */
  async stop(): Promise<number | null> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    return child.exitCode;
  }

  /** Kill all of its processes together with SIGKILL. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    const ended =
      child.exitCode !== null || child.signalCode !== null
        ? undefined
        : new Promise((resolve) => child.once("exit", resolve));
    for (const pid of [this.pid, ...this.descendants()]) forceEnd(pid);
    await ended;
  }

  /** Process ids of everything below the start's own process. */
  descendants(): number[] {
    const parents = new Map<number, number>();
    for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
      const parent = parentOf(name);
      if (parent !== undefined) parents.set(Number(name), parent);
    }
    const below = (pid: number): number[] =>
      [...parents].filter(([, parent]) => parent === pid).flatMap(([each]) => [each, ...below(each)]);
    return below(this.pid);
  }

  /** End it and delete its data. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Make requests with that key from now on. */
  useKey(key: string): void {
    this.key = key;
  }

  /** One request as admin; throws only when no answer came. */
  async call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
}

/** A system on free ports, not yet started. */
export async function createStack(options: StackOptions = {}): Promise<Stack> {
  return new Stack(options, await freePorts(3));
}

/** A system that is ready. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const stack = await createStack(options);
  await stack.start();
  return stack;
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    // It ended while we looked.
    return undefined;
  }
}

function forceEnd(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
