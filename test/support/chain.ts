import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, readConfig } from "../../api/config.ts";
import { type Chain, type ChainPace, openChain } from "../../api/platform/chain/chain.ts";
import { loadSenders } from "../../api/platform/chain/signers/senders.ts";
import { openDatabase } from "../../api/platform/db/client.ts";
import { createLog } from "../../api/platform/log.ts";
import { type Anvil, type AnvilOptions, startAnvil } from "./anvil.ts";
import { chainTemplate } from "./chain-template.ts";
import type { TestContracts } from "./contracts.ts";
import { placeDatabase } from "./database.ts";
import { newWorkers } from "./workers.ts";

/** A local chain with the real contracts, and a DATA_DIR whose files name them. */
export type TestWorld = {
  anvil: Anvil;
  contracts: TestContracts;
  dataDir: string;
  /** Path of the deployment file. */
  deployment: string;
  /** The API's configuration for this world; `env` adds variables. */
  config: (env?: Record<string, string>) => Config;
  close: () => Promise<void>;
};

export async function createTestWorld(options: AnvilOptions & { persistent?: boolean } = {}): Promise<TestWorld> {
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-chain-"));
  await placeDatabase(dataDir);
  const template = await chainTemplate();
  const stateFile = join(dataDir, "chain.json");
  if (options.persistent) await copyFile(template.stateFile, stateFile);
  const state = options.persistent ? { stateFile } : { loadFile: template.stateFile };
  const anvil = await startAnvil({ ...options, ...state });
  const { contracts } = template;
  const deployment = await template.place(dataDir);
  await mkdir(join(dataDir, "keys"), { mode: 0o700 });
  for (const [name, key] of Object.entries(contracts.keys)) {
    await writeFile(join(dataDir, "keys", `${name}.key`), key, { mode: 0o600 });
  }
  // Nobody listens on port 1: a system that runs on this machine is not treated as the test's indexer.
  const config = (env: Record<string, string> = {}) =>
    readConfig({ DATA_DIR: dataDir, CHAIN_PORT: String(anvil.port), INDEXER_PORT: "1", LOG_LEVEL: "silent", ...env });
  const close = async () => {
    await anvil.stop("SIGKILL");
    await rm(dataDir, { recursive: true, force: true });
  };
  return { anvil, contracts, dataDir, deployment, config, close };
}

/** The chain with accounts that also sign what the service does not sign. */
export async function withUnrestrictedSenders(chain: Chain, world: TestWorld): Promise<Chain> {
  return { ...chain, senders: await loadSenders(world.dataDir, world.config().chain) };
}

/** Open the chain part of the API on a separate database. */
export async function openTestChain(
  world: TestWorld,
  env: Record<string, string> = {},
  pace: Partial<ChainPace> = {},
): Promise<{ chain: Chain; close: () => Promise<void> }> {
  const config = world.config(env);
  const log = createLog(config);
  const { db, close } = await openDatabase(config, log);
  const chain = await openChain({ config, db, log, workers: newWorkers({ log }), pace });
  return {
    chain,
    close: async () => {
      await chain.close();
      await close();
    },
  };
}
