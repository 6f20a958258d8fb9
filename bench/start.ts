import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import manifest from "../package.json" with { type: "json" };
import { readOptions } from "../scripts/command-options.ts";
import { freePort } from "../test/support/anvil.ts";
import { type Figure, report } from "./figures.ts";
import { type ProcessUse, processorOfTree, readTree } from "./process-tree.ts";

const help = `npm run bench:start -- [--seconds 30] [--settle 62] [--keep]
Measures the whole embedded system, as npm start runs it, in a temporary folder on separate ports: a first start, a warm start, the
resources of the idle system, and its calls to chain and databases. It takes less than two minutes. Processor time and memory come
from /proc (Linux), so they are valid on a busy machine; elapsed time is not. The idle measurement starts after --settle seconds,
because the embedded chain makes few empty blocks after a minute without requests. Saves bench/results/start.json.
--keep leaves the folder.`;

const aims = { startSeconds: 8, restShare: 3, restMegabytes: 800 };
const values = readOptions(help, {
  seconds: { type: "string", default: "30" },
  settle: { type: "string", default: "62" },
  keep: { type: "boolean", default: false },
});
const seconds = Number(values.seconds);
const settle = Number(values.settle);
/** The command that `npm start` runs through scripts/launch.cjs: `env`, which node replaces. */
const [, , startCommand = "", ...startArguments] = manifest.scripts.start.split(" ");
const counter = pathToFileURL(join(import.meta.dirname, "count-calls.mjs")).href;

type Started = { child: ChildProcess; wallSeconds: number; processorSeconds: number };

/** A system that is started and stopped repeatedly on the same folder and ports. */
class System {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "compile-cache"), ...env };
  }

  /** Resolves when the system says that it is ready. */
  async start(more: NodeJS.ProcessEnv = {}): Promise<Started> {
    const began = performance.now();
    const child = spawn(startCommand, startArguments, {
      env: { ...this.#env, DATA_DIR: join(this.#folder, "data"), ...more },
      stdio: ["ignore", "pipe", "inherit"],
    });
    process.once("exit", () => child.kill());
    await new Promise<void>((resolve, reject) => {
      let said = "";
      child.stdout?.on("data", (chunk) => {
        said += chunk;
        if (said.includes("Hearth is ready")) resolve();
      });
      child.once("exit", (code) => reject(new Error(`The system ended with ${code} before it was ready.\n${said}`)));
    });
    const wallSeconds = (performance.now() - began) / 1000;
    return { child, wallSeconds, processorSeconds: processorOfTree(child.pid as number) };
  }

  async stop({ child }: Started): Promise<void> {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
}

/** A short name for what a process runs. */
function nameOf(command: string): string {
  const known = ["parent-watchdog", "dev-stack", "anvil", "api/main", "ponder", "esbuild"];
  return known.find((name) => command.includes(name)) ?? basename(command.split(" ")[0] ?? "");
}

type Rest = { name: string; share: number; megabytes: number; wakes: number };

/** Resources that each process used between two readings. */
function restBetween(before: ProcessUse[], after: ProcessUse[]): Rest[] {
  const rests = after.map((now) => {
    const then = before.find(({ pid }) => pid === now.pid);
    const share = then === undefined ? 0 : ((now.processor - then.processor) / seconds) * 100;
    const wakes = then === undefined ? 0 : (now.wakes - then.wakes) / seconds;
    return { name: nameOf(now.command), share, megabytes: now.memory / 1e6, wakes };
  });
  const byName = Map.groupBy(rests, ({ name }) => name);
  const sum = (group: Rest[], of: (each: Rest) => number) => group.reduce((total, each) => total + of(each), 0);
  return [...byName].map(([name, group]) => ({
    name,
    share: sum(group, (each) => each.share),
    megabytes: sum(group, (each) => each.megabytes),
    wakes: sum(group, (each) => each.wakes),
  }));
}

type Calls = { rpc: number; sql: number };

/**
 * Resources of each idle process, and calls per second in the same time. Counting starts here, and adds an instruction
 * to each call.
 */
async function measureRest({ child }: Started, folder: string): Promise<{ rests: Rest[]; calls: Calls }> {
  const pid = child.pid as number;
  signalAll(pid);
  const before = readTree(pid);
  await sleep(seconds * 1000);
  const rests = restBetween(before, readTree(pid));
  signalAll(pid);
  await sleep(1_000);
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  const all = files.map((text) => JSON.parse(text) as Calls);
  // The counts are written on the signal; the second after it is for the writing.
  const perSecond = (of: (each: Calls) => number) => all.reduce((sum, each) => sum + of(each), 0) / seconds;
  return { rests, calls: { rpc: perSecond(({ rpc }) => rpc), sql: perSecond(({ sql }) => sql) } };
}

/** Signal the programs to start counting, or to write their counts. */
function signalAll(root: number): void {
  const counted = readTree(root).filter(({ command }) => /dev-stack|api\/main|ponder/.test(command));
  for (const { pid, command } of counted) if (!command.startsWith("/bin/sh")) process.kill(pid, "SIGUSR2");
}

const below = (name: string, value: number, unit: string, limit: number): Figure => {
  return { name, value, unit, aim: `≤ ${limit} ${unit}`, met: value <= limit };
};

function figuresOfRest(rests: Rest[]): Figure[] {
  const total = (of: (rest: Rest) => number) => rests.reduce((sum, rest) => sum + of(rest), 0);
  const ordered = rests.filter(({ megabytes }) => megabytes >= 1).sort((a, b) => b.megabytes - a.megabytes);
  return [
    below(
      "rest: processor",
      total(({ share }) => share),
      "% of a core",
      aims.restShare,
    ),
    ...ordered.map(({ name, share }) => ({ name: `  ${name}`, value: share, unit: "% of a core" })),
    below(
      "rest: memory (PSS)",
      total(({ megabytes }) => megabytes),
      "MB",
      aims.restMegabytes,
    ),
    ...ordered.map(({ name, megabytes }) => ({ name: `  ${name}`, value: megabytes, unit: "MB" })),
    { name: "rest: wake-ups (voluntary context switches)", value: total(({ wakes }) => wakes), unit: "/s" },
    ...ordered.map(({ name, wakes }) => ({ name: `  ${name}`, value: wakes, unit: "/s" })),
  ];
}

async function measure(folder: string): Promise<void> {
  const system = new System(folder, {
    PORT: `${await freePort()}`,
    CHAIN_PORT: `${await freePort()}`,
    INDEXER_PORT: `${await freePort()}`,
    ADMIN_API_KEY: randomBytes(24).toString("hex"),
  });
  console.log(
    `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}: times by the clock hold on an idle machine only`,
  );
  const first = await system.start();
  await system.stop(first);
  const callsFolder = join(folder, "calls");
  await mkdir(callsFolder);
  const options = `${process.env.NODE_OPTIONS ?? ""} --import=${counter}`;
  const warm = await system.start({ NODE_OPTIONS: options, COUNT_CALLS: callsFolder });
  await sleep(settle * 1000);
  const { rests, calls } = await measureRest(warm, callsFolder);
  await system.stop(warm);
  await report("start", [
    { name: "first start, packages installed: processor", value: first.processorSeconds, unit: "s" },
    { name: "first start: by the clock", value: first.wallSeconds, unit: "s" },
    { name: "warm start: processor", value: warm.processorSeconds, unit: "s" },
    below("warm start: by the clock", warm.wallSeconds, "s", aims.startSeconds),
    ...figuresOfRest(rests),
    { name: "rest: JSON-RPC calls", value: calls.rpc, unit: "/s" },
    { name: "rest: SQL statements", value: calls.sql, unit: "/s" },
  ]);
}

const folder = await mkdtemp(join(tmpdir(), "hearth-start-"));
try {
  await measure(folder);
} finally {
  if (values.keep) console.log(`kept: ${folder}`);
  else await rm(folder, { recursive: true, force: true });
}
