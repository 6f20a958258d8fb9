import { newTestUser } from "../../test/support/oracle/oracle.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { type Figure, percentile, ratioFigure } from "../figures.ts";
import type { StreamResult, Target } from "./load.ts";
import { runStreams, start, usageOf } from "./servers.ts";

export type StreamOptions = { only: string[]; streams: number[]; seconds: number; postgres: boolean };

type Server = {
  name: string;
  child: Awaited<ReturnType<typeof start>>["child"];
  /** Streams of a message, each in a separate conversation. */
  targets: (count: number, message: string) => Promise<Target[]>;
};

const servers = ["bare-proxy", "plain-ai", "hearth"];
/** Tokens per second of each stream. */
const pace = 50;
/** Streams start at this interval; the cost of starting one is measured by the first tokens. */
const rampEachMs = 12;

/** Time to first token, streams at a given pace, and tokens at full speed, for each server. */
export async function benchStreams({ only, streams, seconds, postgres }: StreamOptions): Promise<Figure[]> {
  const model = await start<{ url: string }>("model", [], 1);
  const database = postgres ? await startPostgres() : undefined;
  const env = database === undefined ? {} : { BENCH_DATABASE_URL: await database.createDatabase() };
  const figures: Figure[] = [];
  const kept = new Map<string, number>();
  const direct = only.includes("first") ? await firstTokens(directTargets(model.told.url)) : undefined;
  for (const name of servers) {
    const server = await open(name, model.told.url, env);
    const run = async (count: number, message: string, rampMs = 0) => {
      const targets = await server.targets(count, message);
      const before = await usageOf(server.child);
      const result = await runStreams({ targets, atOnce: count, rampMs });
      const after = await usageOf(server.child);
      return { result, cpuMs: after.cpuMs - before.cpuMs, peakMb: after.peakBytes / 1e6 };
    };
    // Warm up, so that compilation is not measured.
    await run(50, "tokens=100 pace=0");
    if (direct !== undefined) figures.push(...addedFigures(name, await firstTokens(server.targets), direct));
    for (const count of only.includes("streams") ? streams : []) {
      const rampMs = count * rampEachMs;
      const tokens = Math.ceil((seconds + rampMs / 1000) * pace);
      const { result, cpuMs, peakMb } = await run(count, `tokens=${tokens} pace=${pace}`, rampMs);
      figures.push(...paceFigures(name, count, result), mb(`${name}: peak memory at ${count} streams`, peakMb));
      figures.push({
        name: `${name}: tokens/s a core, ${count} streams at ${pace}/s`,
        value: perCore(result, cpuMs),
        unit: "/s",
      });
    }
    if (only.includes("saturation")) {
      const { result, cpuMs } = await run(200, "tokens=1500 pace=0");
      kept.set(name, perCore(result, cpuMs));
      figures.push({
        name: `${name}: tokens/s, 200 streams at full speed`,
        value: (result.tokens / result.ms) * 1000,
        unit: "/s",
      });
      figures.push(saturationFigure(name, kept));
    }
    if (name === "hearth") server.child.send("stop");
    else server.child.kill();
  }
  model.child.kill();
  await database?.stop();
  return figures;
}

async function open(name: string, model: string, env: NodeJS.ProcessEnv): Promise<Server> {
  const { child, told } = await start<{ url: string; did: string }>(name, [model], 0, env);
  if (name !== "hearth") {
    const target = (message: string) => ({
      url: `${told.url}/messages/x`,
      headers: {},
      body: JSON.stringify({ message }),
    });
    return { name, child, targets: async (count, message) => Array.from({ length: count }, () => target(message)) };
  }
  const user = await newTestUser(told);
  const targets = async (count: number, message: string) => {
    const made: Target[] = [];
    for (let i = 0; i < count; i++) {
      const url = `${told.url}/messages/${await user.session()}`;
      made.push({ url, headers: user.headers, body: JSON.stringify({ message, stream: true }) });
    }
    return made;
  };
  return { name, child, targets };
}

function directTargets(url: string): Server["targets"] {
  const body = (content: string) => JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content }] });
  return async (count, message) =>
    Array.from({ length: count }, () => ({ url: `${url}/chat/completions`, headers: {}, body: body(message) }));
}

/** Time to first token of streams that run one after the other. */
async function firstTokens(targets: Server["targets"]): Promise<number[]> {
  await runStreams({ targets: await targets(100, "tokens=1 pace=0"), atOnce: 1 });
  const { first } = await runStreams({ targets: await targets(400, "tokens=1 pace=0"), atOnce: 1 });
  return first;
}

function addedFigures(name: string, first: number[], direct: number[]): Figure[] {
  const added = (share: number) => percentile(first, share) - percentile(direct, share);
  const p50 = added(0.5);
  const aim = name === "hearth" ? { aim: "≤ 2 ms", met: p50 <= 2 } : {};
  return [
    { name: `${name}: time to first token added, p50`, value: p50, unit: "ms", ...aim },
    { name: `${name}: time to first token added, p99`, value: added(0.99), unit: "ms" },
  ];
}

function paceFigures(name: string, count: number, { lag, gaps }: StreamResult): Figure[] {
  const gap = percentile(gaps, 0.99);
  const aim = name === "hearth" && count === 500 ? { aim: "< 50 ms", met: gap < 50 } : {};
  return [
    { name: `${name}: gap p99, ${count} streams at ${pace}/s`, value: gap, unit: "ms", ...aim },
    { name: `${name}: lag p99, ${count} streams at ${pace}/s`, value: percentile(lag, 0.99), unit: "ms" },
  ];
}

const perCore = ({ tokens }: StreamResult, cpuMs: number) => (tokens / cpuMs) * 1000;
const mb = (name: string, value: number): Figure => ({ name, value, unit: "MB" });

function saturationFigure(name: string, kept: Map<string, number>): Figure {
  const title = `${name}: tokens/s a core, 200 streams at full speed`;
  const value = kept.get(name) ?? 0;
  const [bare, plain] = [kept.get("bare-proxy"), kept.get("plain-ai")];
  if (name !== "hearth" || bare === undefined || plain === undefined) return { name: title, value, unit: "/s" };
  const aim = "≥ 2× plain-ai, ≥ 0.7× bare-proxy";
  const figure = ratioFigure(title, value, "/s", { name: "bare-proxy", value: bare });
  return {
    ...figure,
    aim: `${aim} (${(value / plain).toFixed(2)}× plain-ai)`,
    met: value >= 2 * plain && value >= 0.7 * bare,
  };
}
