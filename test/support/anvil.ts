import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createPublicClient, http } from "viem";
import { killChildWithParent } from "./parent-watchdog.ts";
import { untilFound } from "./until.ts";

export type Anvil = {
  url: string;
  port: number;
  process: ChildProcess;
  /** JSON-RPC, for the test methods (evm_increaseTime, anvil_setBalance, …). */
  rpc: (method: string, params?: unknown[]) => Promise<unknown>;
  /** Mine no block until `resumeMining`, except by evm_mine and anvil_mine. */
  pauseMining: () => Promise<void>;
  /** Mine a block every `everySeconds` from now on; default: as at the start. */
  resumeMining: (everySeconds?: number) => Promise<void>;
  /** Wait until so many transactions wait for a block. */
  untilPending: (count: number) => Promise<void>;
  stop: (signal?: NodeJS.Signals) => Promise<void>;
};

export type AnvilOptions = {
  port?: number;
  /** Loaded if it is there, and written every `stateInterval` seconds and at the end. */
  stateFile?: string;
  stateInterval?: number;
  /** A state to begin with, which stays as it is. */
  loadFile?: string;
  /** A transaction waits for its block for half of this on average, so a long interval makes tests slow. */
  blockSeconds?: number;
  /** Accounts whose keys it holds. */
  accounts?: number;
};

/** Past states that can be read, all in memory. By default anvil writes up to 3,600 below the home folder; a kill leaves them there. */
const keptStates = 1_000;

/** Start the embedded chain on a free port, with interval mining. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { port = await freePort(), stateFile, stateInterval = 1, loadFile, blockSeconds = 0.1, accounts = 0 } = options;
  const persistence = stateFile === undefined ? [] : ["--state", stateFile, "--state-interval", String(stateInterval)];
  const begin = loadFile === undefined ? [] : ["--load-state", loadFile];
  const fixed = [
    "--quiet",
    "--order",
    "fifo",
    "--accounts",
    String(accounts),
    "--gas-limit",
    "500000000",
    "--hardfork",
    "prague",
  ];
  const mining = ["--block-time", String(blockSeconds), "--prune-history", String(keptStates)];
  const child = spawn(anvilBinary(), ["--port", String(port), ...mining, ...fixed, ...persistence, ...begin], {
    stdio: "ignore",
  });
  killChildWithParent(child);
  const url = `http://127.0.0.1:${port}`;
  const client = createPublicClient({ transport: http(url, { retryCount: 0 }) });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const rpc = (method: string, params: unknown[] = []) => client.request({ method, params } as never);
  for (let i = 0; ; i++) {
    if (child.exitCode !== null) throw new Error(`anvil ended with ${child.exitCode} before it was ready.`);
    const ready = await client.getBlockNumber({ cacheTime: 0 }).catch(() => undefined);
    if (ready !== undefined) break;
    // Longer than on a quiet machine: several processes may start together and read their programs from a cold disk.
    if (i > 1_200) throw new Error("anvil did not start within a minute.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { pauseMining, resumeMining } = miningOf(rpc, blockSeconds);
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    await exited;
  };
  const untilPending = async (count: number) => {
    await untilFound(async () => {
      const { pending } = (await rpc("txpool_status")) as { pending: string };
      return Number(pending) >= count ? pending : undefined;
    });
  };
  return { url, port, process: child, rpc, pauseMining, resumeMining, untilPending, stop };
}

/** Pause and resume mining. anvil's method takes whole seconds alone, so after a pause this process asks for each block. */
function miningOf(rpc: Anvil["rpc"], usualSeconds: number): Pick<Anvil, "pauseMining" | "resumeMining"> {
  let isPaused = false;
  let mining = Promise.resolve();
  const pauseMining = async () => {
    isPaused = true;
    await rpc("evm_setIntervalMining", [0]);
    await mining;
  };
  const mine = async (everySeconds: number) => {
    while (!isPaused) {
      await rpc("evm_mine");
      await sleep(everySeconds * 1_000, undefined, { ref: false });
    }
  };
  const resumeMining = async (everySeconds = usualSeconds) => {
    await pauseMining();
    isPaused = false;
    // It ends with the chain. A test that waits for a block then says so.
    mining = mine(everySeconds).catch(() => {});
  };
  return { pauseMining, resumeMining };
}

function anvilBinary(): string {
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`;
  return createRequire(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json")).resolve(name);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
