import type { ChildProcess } from "node:child_process";
import { prepareIndexer, spawnIndexer } from "../../indexer/start.ts";
import { shortLife } from "../../scripts/testing/short-life.ts";
import { freePort } from "../support/anvil.ts";
import { killChildWithParent } from "../support/parent-watchdog.ts";
import { type IndexerClient, openIndexerClient } from "./client.ts";
import type { World } from "./world.ts";

export type Indexer = {
  url: string;
  process: ChildProcess;
  /** What it has logged. */
  output: () => string;
  /** Why the database was rebuilt, if it was. */
  rebuilt: string | undefined;
  /** Milliseconds from the start to the first 200 of /ready. */
  startedIn: number;
  client: IndexerClient;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

/** Start the indexer's own process on the world's chain; resolves when it has caught up. */
export async function startIndexerOn(
  world: World,
  folder: string,
  options: { databaseUrl?: string; requestsPerMinute?: number; statementMs?: number; port?: number } = {},
): Promise<Indexer> {
  const begin = performance.now();
  const settings = {
    rpcUrl: world.anvil.url,
    chainId: 31_337,
    deployment: world.deployment,
    folder,
    host: "127.0.0.1",
    port: await freePort(),
    requestsPerMinute: 10_000,
    token: "a token of the tests",
    ...options,
  };
  const { schema: name, rebuilt } = await prepareIndexer(settings);
  const process = spawnIndexer(settings, name, "pipe", shortLife);
  killChildWithParent(process);
  let output = "";
  for (const stream of [process.stdout, process.stderr])
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  const exited = new Promise<void>((resolve) => process.once("exit", () => resolve()));
  const url = `http://127.0.0.1:${settings.port}`;
  for (;;) {
    if (process.exitCode !== null || process.signalCode !== null)
      throw new Error(`The indexer ended: ${output.slice(0, 2000)}`);
    const ready = await fetch(`${url}/ready`).catch(() => undefined);
    if (ready?.status === 200) break;
    if (performance.now() - begin > 120_000) {
      process.kill("SIGKILL");
      throw new Error(`The indexer was not ready in two minutes: ${output.slice(0, 2000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    process.kill(signal);
    await exited;
  };
  const client = openIndexerClient(url, settings.token);
  return { url, process, output: () => output, rebuilt, startedIn: performance.now() - begin, client, stop };
}

/** Wait until the indexer has taken in a block. */
export async function waitForBlock(indexer: Indexer, block: bigint): Promise<void> {
  for (let i = 0; i < 1_200; i += 1) {
    // On a machine that is busy enough a kept-alive socket may be closed under the question.
    const reached = await indexer.client.block().catch((error: unknown) => {
      if (indexer.process.exitCode !== null || indexer.process.signalCode !== null) throw error;
      return undefined;
    });
    if (reached !== undefined && BigInt(reached.number) >= block) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The indexer did not reach block ${block}: ${indexer.output().slice(-2000)}`);
}
