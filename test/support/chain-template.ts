import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAnvil } from "./anvil.ts";
import { deployTestContracts, type TestContracts } from "./contracts.ts";

const root = join(import.meta.dirname, "../..");

/** A chain on which the scheme has just been deployed, as a state that anvil loads, and the files that name its contracts. */
export type ChainTemplate = {
  stateFile: string;
  contracts: TestContracts;
  /** Put the deployment file into a new DATA_DIR; its path. */
  place: (dataDir: string) => Promise<string>;
};

/**
 * The chain with which most tests begin. Deploying takes dozens of transactions and blocks, so it is done once per run of the tests
 * and set of contracts. All chains made of it have one genesis and the same keys.
 */
export async function chainTemplate(): Promise<ChainTemplate> {
  const folder = join(tmpdir(), `hearth-chain-${fingerprint()}`);
  if (!existsSync(folder)) await makeTemplate(folder);
  return {
    stateFile: join(folder, "state.json"),
    contracts: JSON.parse(readFileSync(join(folder, "contracts.json"), "utf8")) as TestContracts,
    async place(dataDir) {
      await cp(join(folder, "deployments"), join(dataDir, "deployments"), { recursive: true });
      return join(dataDir, "deployments", "31337.json");
    },
  };
}

async function makeTemplate(folder: string): Promise<void> {
  const draft = await mkdtemp(join(tmpdir(), "hearth-chain-draft-"));
  // The state is written when anvil ends, not before.
  const anvil = await startAnvil({ stateFile: join(draft, "state.json"), stateInterval: 3_600 });
  const contracts = await deployTestContracts(anvil, join(draft, "deployments", "31337.json"));
  await anvil.stop();
  writeFileSync(join(draft, "contracts.json"), JSON.stringify(contracts), { mode: 0o600 });
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another test was faster; its template serves as well.
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Changes when the contracts or the code that deploys them change. */
function fingerprint(): string {
  const hash = createHash("sha256");
  const sources = "{contracts/**/*.sol,hardhat.config.ts,scripts/deploy.ts,scripts/deploy/*.ts,test/support/*.ts}";
  for (const path of globSync(sources, { cwd: root }).sort()) {
    hash.update(readFileSync(join(root, path)));
  }
  return hash.digest("hex").slice(0, 16);
}
