import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { buildApi } from "../../scripts/build-api.ts";
import { shortLife } from "../../scripts/testing/short-life.ts";
import { freePort } from "./anvil.ts";
import type { TestWorld } from "./chain.ts";
import { testAdminKey } from "./core.ts";

export type Call = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<{ status: number; body: Record<string, unknown> }>;

/** Variables to set from now on; undefined removes one. */
type Changes = Record<string, string | undefined>;

export type ServerProcess = {
  url: string;
  /** True while the process has not ended. */
  isRunning: () => boolean;
  /** Send a request as the admin. */
  call: Call;
  /** Kill it with SIGKILL, and start another one over the same folder. */
  killAndStart: () => Promise<void>;
  /** Stop it with SIGTERM, which answers all requests, and start another one over the same folder, with changed variables. */
  restart: (changes?: Changes) => Promise<void>;
  stop: (signal: NodeJS.Signals) => Promise<void>;
};

/** For tests: the API as a process over a world's folder, ready for requests; `given` adds variables. */
export async function startServer(world: TestWorld, given: Record<string, string> = {}): Promise<ServerProcess> {
  const port = await freePort();
  let env: Changes = given;
  let server = await spawnServer(world, port, env);
  const isRunning = () => server.exitCode === null && server.signalCode === null;
  const stop = async (signal: NodeJS.Signals) => {
    if (!isRunning()) return;
    server.kill(signal);
    await once(server, "exit");
  };
  const url = `http://127.0.0.1:${port}`;
  const replace = async (signal: NodeJS.Signals) => {
    await stop(signal);
    server = await spawnServer(world, port, env);
  };
  const killAndStart = () => replace("SIGKILL");
  const restart = (changes: Changes = {}) => {
    env = { ...env, ...changes };
    return replace("SIGTERM");
  };
  return { url, isRunning, call: callAt(url), stop, killAndStart, restart };
}

/** Send requests to a URL as the admin. */
export function callAt(url: string): Call {
  return async (method, path, body, headers) => {
    const own = { authorization: `Bearer ${testAdminKey}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { method, headers: { ...own, ...headers }, ...sent });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
}

/** Found once: a test of kills starts many servers, and each search reads all sources. */
let program: Promise<string> | undefined;

async function spawnServer({ dataDir, anvil }: TestWorld, port: number, env: Changes): Promise<ChildProcess> {
  const variables = { DATA_DIR: dataDir, CHAIN_PORT: String(anvil.port), PORT: String(port) };
  program ??= buildApi();
  const child = spawn(process.execPath, [...shortLife, await program], {
    env: { ...process.env, ...variables, ADMIN_API_KEY: testAdminKey, LOG_LEVEL: "silent", ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (let i = 0; i < 600; i++) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
    const up = await fetch(`http://127.0.0.1:${port}/v1/keys`).then(
      () => true,
      () => false,
    );
    if (up) return child;
    await sleep(100);
  }
  child.kill("SIGKILL");
  throw new Error("The server does not listen.");
}
