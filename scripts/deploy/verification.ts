import { globSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Address, createPublicClient, getContractAddress, type Hex, http, type PublicClient } from "viem";
import type { Deployment } from "../../deployments/deployment.ts";
import { writeDurably } from "../disk-files.ts";
import { artifacts } from "./artifacts.ts";

/** What a block explorer needs to verify one contract. */
export type Verification = {
  /** As the deployment file names it. */
  name: string;
  address: Address;
  /** File and contract, as explorers ask for it: `project/contracts/pool/Pool.sol:Pool`. */
  contract: string;
  /** `v0.8.37+commit.f401782d` */
  compiler: string;
  /** File of the compiler's standard JSON input, in the same folder. */
  input: string;
  /** ABI-encoded; `0x` without arguments. */
  constructorArguments: Hex;
  creationTransaction: Hex;
};

type Compiled = { contractName: string; inputSourceName: string; buildInfoId: string; bytecode: Hex };
type BuildInfo = { solcLongVersion: string; input: { sources: Record<string, unknown>; settings: object } };
type Creation = { name: string; address: Address; hash: Hex; data: Hex };

const root = join(import.meta.dirname, "../..");
/** Blocks that are read together. */
const blocksAtOnce = 50;

/** Contracts that others publish, with their own verified sources: Safe, a stablecoin of the chain, the registry of did:ethr. */
const foreign = ({ testStablecoin }: Deployment) =>
  new Set(["council", "didRegistry", ...(testStablecoin ? [] : ["stablecoin"])]);

/**
 * Write what a block explorer needs to verify the contracts of a deployment: each one's input for the compiler, and the list
 * `contracts.json`.
 * @throws Error a sentence, when the contracts are not compiled or other sources were deployed
 */
export async function writeVerification(
  deployment: Deployment,
  { rpcUrl, folder }: { rpcUrl: string; folder: string },
): Promise<Verification[]> {
  const compiled = readCompiled();
  const client = createPublicClient({ transport: http(rpcUrl) });
  const list: Verification[] = [];
  await mkdir(folder, { recursive: true });
  for (const { name, address, hash, data } of await findCreations(client, deployment)) {
    const { bytecode: own } = artifacts[name as keyof typeof artifacts]();
    const artifact = compiled.find(({ bytecode }) => bytecode === own);
    if (artifact === undefined || !data.startsWith(own)) {
      throw new Error(
        `${name} (${address}) was deployed from other sources: check out the version that deployed it, and run npm run build.`,
      );
    }
    const { contractName, inputSourceName, buildInfoId, bytecode } = artifact;
    const { solcLongVersion, input } = readJson<BuildInfo>(`artifacts/build-info/${buildInfoId}.json`);
    const file = `${contractName}.json`;
    await writeDurably(join(folder, file), `${JSON.stringify(input)}\n`, 0o644);
    list.push({
      name,
      address,
      contract: `${inputSourceName}:${contractName}`,
      compiler: `v${solcLongVersion}`,
      input: file,
      constructorArguments: `0x${data.slice(bytecode.length)}`,
      creationTransaction: hash,
    });
  }
  await writeDurably(join(folder, "contracts.json"), `${JSON.stringify(list, null, 2)}\n`, 0o644);
  return list;
}

/** Read the compiled contracts that have code. @throws Error when there are none */
function readCompiled(): Compiled[] {
  const paths = globSync("artifacts/contracts/**/*.sol/*.json", { cwd: root });
  if (paths.length === 0) throw new Error("The contracts are not compiled: run npm run build.");
  return paths.map(readJson<Compiled>).filter(({ bytecode }) => bytecode !== "0x");
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), "utf8")) as T;
}

/** Find the transactions that created the contracts, from the block on in which the deployment began. */
async function findCreations(client: PublicClient, deployment: Deployment): Promise<Creation[]> {
  const skipped = foreign(deployment);
  const wanted = new Map(
    Object.entries(deployment.contracts)
      .filter(([name]) => !skipped.has(name))
      .map(([name, address]) => [address.toLowerCase(), { name, address }]),
  );
  const found: Creation[] = [];
  const last = Number(await client.getBlockNumber());
  for (let from = deployment.startBlock; from <= last && wanted.size > 0; from += blocksAtOnce) {
    const numbers = Array.from({ length: Math.min(blocksAtOnce, last + 1 - from) }, (_, i) => BigInt(from + i));
    const blocks = await Promise.all(
      numbers.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true })),
    );
    for (const { to, from: sender, nonce, hash, input } of blocks.flatMap(({ transactions }) => transactions)) {
      if (to !== null) continue;
      const address = getContractAddress({ from: sender, nonce: BigInt(nonce) }).toLowerCase();
      const contract = wanted.get(address);
      if (contract === undefined) continue;
      found.push({ ...contract, hash, data: input });
      wanted.delete(address);
    }
  }
  if (wanted.size === 0) return found;
  const missing = Array.from(wanted.values(), ({ name, address }) => `${name} (${address})`);
  throw new Error(
    `The chain has no transaction that created ${missing.join(", ")} from block ${deployment.startBlock} on.`,
  );
}
