import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../test/support/anvil.ts";

/** A separate system as `npm start` runs it, in a temporary folder. */
export type BenchStack = {
  url: string;
  rpcUrl: string;
  indexerUrl: string;
  dataDir: string;
  /** Id of the process that supervises the system. */
  pid: number;
  /** API key with a very high rate limit. */
  key: string;
  /** Send JSON. @throws Error when the answer is not 2xx */
  call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Record<string, unknown>>;
  stop: () => Promise<void>;
};

/** @param env Variables in addition to those that the benchmarks set, such as DATABASE_URL. */
export async function startBenchStack(env: NodeJS.ProcessEnv = {}): Promise<BenchStack> {
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-bench-"));
  const [port, chainPort, indexerPort] = [await freePort(), await freePort(), await freePort()];
  const adminKey = randomBytes(24).toString("hex");
  const child = spawn(process.execPath, ["scripts/dev-stack.ts"], {
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: `${port}`,
      CHAIN_PORT: `${chainPort}`,
      INDEXER_PORT: `${indexerPort}`,
      ADMIN_API_KEY: adminKey,
      REQUESTS_PER_MINUTE: "1000000",
      LOG_LEVEL: "warn",
      ...env,
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  const stack = {
    url,
    rpcUrl: `http://127.0.0.1:${chainPort}`,
    indexerUrl: `http://127.0.0.1:${indexerPort}`,
    dataDir,
    pid: child.pid as number,
    key: adminKey,
    call: (method: string, path: string, body?: unknown, headers = {}) =>
      call(url, adminKey, method, path, body, headers),
    stop: () => stop(child, dataDir),
  };
  try {
    await untilReady(url, child);
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/** Wait until an operation has ended and return its record. */
export async function waitForOperation(stack: BenchStack, id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const operation = await stack.call("GET", `/v1/operations/${id}`);
    if (["succeeded", "partial", "failed"].includes(`${operation.status}`)) return operation;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function call(
  url: string,
  key: string,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Record<string, unknown>> {
  const payload = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(url + path, {
    method,
    body: payload,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const end = Date.now() + 120_000;
  while (Date.now() < end) {
    if (child.exitCode !== null) throw new Error(`The system ended with ${child.exitCode} before it was ready.`);
    const ready = await fetch(`${url}/ready`).catch(() => undefined);
    if (ready?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("The system was not ready within two minutes.");
}

async function stop(child: ChildProcess, dataDir: string): Promise<void> {
  if (child.exitCode === null) {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
  await rm(dataDir, { recursive: true, force: true });
}
