import { access } from "node:fs/promises";
import { join } from "node:path";
import { createPublicClient, http } from "viem";
import { type Config, readConfig } from "../../api/config.ts";
import type { RootReader } from "../../api/files/audit/verify-roots.ts";
import type { FileDeps } from "../../api/files/deps.ts";
import { openFiles } from "../../api/files/open-files.ts";
import { ConfigError } from "../../api/platform/config-error.ts";
import { DatabaseLockedError } from "../../api/platform/db/client.ts";
import { createLog } from "../../api/platform/log.ts";
import { loadOrCreateSecret } from "../../api/platform/secrets.ts";
import { openCoreDeps } from "../../api/platform/server/core.ts";
import { auditsAbi } from "../../deployments/abi/audits.ts";
import { readDeployment } from "../../deployments/deployment.ts";

export type OpenStore = {
  deps: FileDeps;
  schemeKey: string;
  /** Undefined where no deployment is known. */
  chain: RootReader | undefined;
  close: () => Promise<void>;
};

/**
 * Open the file store of the environment's configuration while the service is stopped.
 * @throws Error a sentence, when there is none; DatabaseLockedError while the service runs on the embedded database
 */
export async function openStore(): Promise<OpenStore> {
  const config = readConfig(process.env);
  await requireDatabase(config);
  const log = createLog({ logLevel: "error" });
  const core = await openCoreDeps(config, log);
  const { files, close: closeFiles } = await openFiles(core.deps, { asFound: true });
  const schemeKey = config.chain.schemeKey ?? (await loadOrCreateSecret(config.dataDir, "scheme"));
  const close = async () => {
    await closeFiles();
    await core.close();
  };
  return { deps: { ...core.deps, files }, schemeKey, chain: await rootReader(config), close };
}

/** Print why a command failed. @param route the running service's route for the same */
export function printFailure(error: unknown, route: string): void {
  const isKnown = [DatabaseLockedError, ConfigError, MissingStoreError].some((kind) => error instanceof kind);
  console.error(isKnown ? (error as Error).message : error);
  if (error instanceof DatabaseLockedError) console.error(`While it runs, ask the service itself: ${route}.`);
}

class MissingStoreError extends Error {}

/** A check must not create a new, empty store if the folder's name is mistyped. */
async function requireDatabase({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== undefined) return;
  const folder = join(dataDir, "api-db");
  await access(folder).catch(() => {
    throw new MissingStoreError(`There is no database in ${folder}: set DATA_DIR to the system that you mean.`);
  });
}

async function rootReader({ chain }: Config): Promise<RootReader | undefined> {
  const deployment = await readDeployment(chain.deployment).catch(() => undefined);
  if (deployment === undefined) return undefined;
  const client = createPublicClient({ transport: http(chain.rpcUrl, { retryCount: 0, timeout: 5_000 }) });
  const contract = { address: deployment.contracts.audits, abi: auditsAbi } as const;
  return {
    rootOf: (day) => client.readContract({ ...contract, functionName: "rootOf", args: [day] }),
    latestDay: () => client.readContract({ ...contract, functionName: "latestDay" }),
  };
}
