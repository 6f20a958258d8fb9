import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpus } from "node:os";
import { readOptions } from "../scripts/command-options.ts";
import { freePort } from "../test/support/anvil.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { drive, type Kind, kinds, mix, prepareTraffic, type Sent, type Traffic } from "./day/traffic.ts";
import { bytesOf, type Part, parts, processorByPart, type Usage } from "./day/usage.ts";
import { type Figure, percentile, report } from "./figures.ts";
import { type BenchStack, startBenchStack } from "./stack.ts";

const help = `npm run bench:load -- [--rate 20] [--seconds 20] [--scales 1,2,4] [--households 500]
Drives the mixed traffic of a day at a rate (requests a second) and its multiples, and names what saturates first. It measures the
embedded system, then PostgreSQL with one API process and with two. Saves bench/results/load.json.`;

type Round = { name: string; sent: Sent[]; seconds: number; usage: Usage };
type Target = { stack: BenchStack; traffic: Traffic; urls: string[]; pids: number[] };

const options = readOptions(help, {
  rate: { type: "string", default: "20" },
  seconds: { type: "string", default: "20" },
  scales: { type: "string", default: "1,2,4" },
  households: { type: "string", default: "500" },
});
const [rate, seconds, households] = [Number(options.rate), Number(options.seconds), Number(options.households)];
const scales = options.scales.split(",").map(Number);
if (![rate, seconds, households, ...scales].every((each) => each > 0)) {
  console.error(`Every option is a positive number.\n${help}`);
  process.exit(2);
}

async function run(name: string, { traffic, urls, pids }: Target, scale: number): Promise<Round> {
  const before = processorByPart(pids);
  const began = performance.now();
  const sent = await drive(traffic, urls, rate * scale, seconds);
  const took = (performance.now() - began) / 1000;
  const after = processorByPart(pids);
  const usage = Object.fromEntries(parts.map((part) => [part, Math.max(0, after[part] - before[part])])) as Usage;
  return { name: `${name}, ${scale}× (${rate * scale}/s)`, sent, seconds: took, usage };
}

const msOf = (sent: readonly Sent[], kind: Kind) => sent.filter((each) => each.kind === kind).map(({ ms }) => ms);

function figuresOf({ name, sent, seconds: took, usage }: Round): Figure[] {
  const failed = sent.filter(({ ok }) => !ok).length;
  return [
    { name: `${name}: answered`, value: (sent.length - failed) / took, unit: "/s" },
    { name: `${name}: failed`, value: failed, unit: "requests" },
    ...kinds.map((kind) => ({ name: `${name}: ${kind} p99`, value: percentile(msOf(sent, kind), 0.99), unit: "ms" })),
    ...parts.map((part) => ({ name: `${name}: ${part}`, value: usage[part] / took, unit: "cores" })),
  ];
}

/**
 * Name the part that saturates first: the API, the indexer and the chain each use at most one processor. The cost of a further
 * request is the difference between the rounds with the fewest and the most requests.
 */
function bottleneckOf(name: string, rounds: readonly Round[], processes: number): string {
  const [least, most] = [rounds[0], rounds.at(-1)];
  if (least === undefined || most === undefined || least === most) return `${name}: give two or more --scales.`;
  const limit: Usage = { API: processes, indexer: 1, chain: 1, PostgreSQL: cpus().length, supervisor: 1 };
  const cores = (round: Round, part: Part) => round.usage[part] / round.seconds;
  const rateOf = ({ sent, seconds: took }: Round) => sent.length / took;
  const perRequest = (part: Part) => (cores(most, part) - cores(least, part)) / (rateOf(most) - rateOf(least));
  const saturatesAt = (part: Part) => {
    const each = perRequest(part);
    return each > 0 ? rateOf(most) + (limit[part] - cores(most, part)) / each : Number.POSITIVE_INFINITY;
  };
  const [first = "API"] = parts.toSorted((a, b) => saturatesAt(a) - saturatesAt(b));
  const cost = (perRequest(first) * 1000).toFixed(1);
  return `${name}: ${first} saturates first, at about ${saturatesAt(first).toFixed(0)} requests/s (${cost} ms of a processor for each)`;
}

/** A second API process of a system on PostgreSQL. */
async function startSecond(
  stack: BenchStack,
  shared: NodeJS.ProcessEnv,
): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const child = spawn(process.execPath, ["scripts/api.ts"], {
    env: {
      ...process.env,
      DATA_DIR: stack.dataDir,
      PORT: String(port),
      // Both processes are one service, and tokens name its URL.
      PUBLIC_URL: stack.url,
      CHAIN_PORT: new URL(stack.rpcUrl).port,
      INDEXER_PORT: new URL(stack.indexerUrl).port,
      ADMIN_API_KEY: stack.key,
      ...shared,
      REQUESTS_PER_MINUTE: "1000000",
      LOG_LEVEL: "warn",
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 200))) {
    if (child.exitCode !== null) break;
    if ((await fetch(`${url}/ready`).catch(() => undefined))?.ok) return { url, child };
  }
  child.kill("SIGKILL");
  throw new Error("The second API process was not ready within two minutes.");
}

/** Bytes that each kind of record adds, on the embedded system. */
async function unitCosts({ stack, traffic, urls }: Target): Promise<Figure[]> {
  const figures: Figure[] = [];
  const folders = ["chain", "api-db", "files", "indexer"] as const;
  for (const [kind, count] of [
    ["redeem", 300],
    ["write", 300],
    ["register", 300],
  ] as const) {
    const before = folders.map((name) => bytesOf(`${stack.dataDir}/${name}`));
    const began = performance.now();
    for (let done = 0; done < count; done += 50)
      await Promise.all(
        Array.from({ length: 50 }, async () => (await traffic.send[kind](String(urls[0]))).arrayBuffer()),
      );
    const ms = (performance.now() - began) / count;
    // The chain saves its state, and the databases their pages, a moment later.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    for (const [at, name] of folders.entries()) {
      const value = (bytesOf(`${stack.dataDir}/${name}`) - (before[at] ?? 0)) / count;
      figures.push({ name: `${kind}: bytes in ${name}`, value, unit: "B" });
    }
    figures.push({ name: `${kind}: time with 50 at a time`, value: ms, unit: "ms" });
  }
  return figures;
}

async function runAll(name: string, target: Target): Promise<{ figures: Figure[]; line: string }> {
  const rounds: Round[] = [];
  for (const scale of scales) rounds.push(await run(name, target, scale));
  return { figures: rounds.flatMap(figuresOf), line: bottleneckOf(name, rounds, target.urls.length) };
}

const shares = kinds.map((kind) => `${(mix[kind] * 100).toFixed(0)} % ${kind}`).join(", ");
console.log(`A day's requests: ${shares}.`);
const figures: Figure[] = [];
const lines: string[] = [];
const add = (more: { figures: Figure[]; line: string }) => {
  figures.push(...more.figures);
  lines.push(more.line);
};

const embedded = await startBenchStack({ FS_REQUESTS_PER_MINUTE: "1000000" });
try {
  const traffic = await prepareTraffic(embedded, households);
  const target = { stack: embedded, traffic, urls: [embedded.url], pids: [embedded.pid] };
  add(await runAll("embedded", target));
  figures.push(...(await unitCosts(target)));
} finally {
  await embedded.stop();
}

const postgres = await startPostgres({ durable: true });
try {
  const DATABASE_URL = await postgres.createDatabase();
  // The indexer does not limit requests with the token.
  const shared = { DATABASE_URL, INDEXER_TOKEN: randomBytes(24).toString("hex"), FS_REQUESTS_PER_MINUTE: "1000000" };
  const stack = await startBenchStack(shared);
  try {
    const traffic = await prepareTraffic(stack, households);
    const pids = [stack.pid, postgres.pid()];
    const target = { stack, traffic, urls: [stack.url], pids };
    add(await runAll("PostgreSQL, 1 API", target));
    const second = await startSecond(stack, shared);
    try {
      const both = { ...target, urls: [stack.url, second.url], pids: [...pids, second.child.pid as number] };
      add(await runAll("PostgreSQL, 2 APIs", both));
    } finally {
      const ended = once(second.child, "exit");
      second.child.kill("SIGTERM");
      await ended;
    }
  } finally {
    await stack.stop();
  }
} finally {
  await postgres.stop();
}
await report("load", figures);
if (figures.some(({ unit, value }) => unit === "requests" && value > 0)) {
  console.error("Some requests failed, so the figures of their rounds do not count.");
  process.exitCode = 1;
}
console.log(`\nBottlenecks:\n${lines.join("\n")}`);
