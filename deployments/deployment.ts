import { readFile } from "node:fs/promises";
import { type Address, getAddress, type Hex, isAddress, isHash } from "viem";

/** Contracts that a deployment names. `council` is the Safe, `stablecoin` the token that the pool pays in. */
export const contractNames = [
  "participants",
  "certificates",
  "carbon",
  "vouchers",
  "claims",
  "pool",
  "directory",
  "audits",
  "campaigns",
  "itmo",
  "oracles",
  "parameters",
  "authorizations",
  "invalidationBuffer",
  "stablecoin",
  "council",
  "timelock",
] as const;
export type DeployedName = (typeof contractNames)[number];

/** `didRegistry`: the ERC-1056 registry of did:ethr, on the embedded chain only. */
export type DeployedContracts = Record<DeployedName, Address> & { didRegistry?: Address };

/** Accounts that hold a role. `council` are the Safe's owners, of whom `threshold` must sign. */
export type RoleAccounts = {
  operator: Address;
  registrar: Address;
  evaluator: Address;
  guardian: Address;
  council: Address[];
  threshold: number;
};

/** What scripts/deploy.ts writes: where the contracts are, on which chain, and who holds what. */
export type Deployment = {
  chainId: number;
  /** Hash of block 0; tells a chain from its successor with the same id. */
  genesisHash: Hex;
  /** No event of these contracts lies before this block. */
  startBlock: number;
  contracts: DeployedContracts;
  roles: RoleAccounts;
  /** Seconds between the council's decision and its execution. */
  timelockDelay: number;
  /** Whether the stablecoin is the test token with a faucet. */
  testStablecoin: boolean;
};

/**
 * Read a deployment file.
 * @returns undefined when there is no file.
 * @throws a sentence that names the file and what is wrong with it.
 */
export async function readDeployment(path: string): Promise<Deployment | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return parseDeployment(text, path);
}

/** Read the deployment file that there must be. @throws a sentence that names the file and what is wrong with it. */
export async function requireDeployment(path: string): Promise<Deployment> {
  const deployment = await readDeployment(path);
  if (deployment === undefined) throw new Error(`There is no deployment file ${path}. Deploy the contracts first.`);
  return deployment;
}

/**
 * Read a deployment file that may be of an earlier version, with the names of the contracts that it lacks.
 * @returns undefined when there is no file.
 * @throws a sentence that names the file and what is wrong with it.
 */
export async function readIncomplete(
  path: string,
): Promise<{ deployment: Deployment; missing: DeployedName[] } | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return text === undefined ? undefined : parse(text, path);
}

/** Parse a deployment file's text; `path` is for the message. */
export function parseDeployment(text: string, path: string): Deployment {
  const { deployment, missing } = parse(text, path);
  if (missing.length === 0) return deployment;
  throw new Error(
    `The deployment file ${path} is not one of this version: it lacks ${missing.map((name) => `contracts.${name}`).join(", ")}. ` +
      "Add them to the deployment: DEPLOYER_KEY=0x… node scripts/deploy.ts --add --rpc URL --out FILE.",
  );
}

function parse(text: string, path: string): { deployment: Deployment; missing: DeployedName[] } {
  const refuse = (what: string) => new Error(`The deployment file ${path} is not one: ${what}.`);
  let file: Deployment;
  try {
    file = JSON.parse(text);
  } catch {
    throw refuse("it is not JSON");
  }
  if (!Number.isSafeInteger(file?.chainId) || !Number.isSafeInteger(file.startBlock))
    throw refuse("chainId, startBlock");
  if (!isHash(file.genesisHash)) throw refuse("genesisHash");
  const contracts = {} as DeployedContracts;
  const optional = file.contracts?.didRegistry === undefined ? [] : (["didRegistry"] as const);
  const unnamed: string[] = [];
  const missing: DeployedName[] = [];
  for (const name of [...contractNames, ...optional]) {
    const address = file.contracts?.[name];
    if (typeof address === "string" && isAddress(address, { strict: false })) contracts[name] = getAddress(address);
    else {
      unnamed.push(`contracts.${name}`);
      if (address === undefined && name !== "didRegistry") missing.push(name);
    }
  }
  if (unnamed.length > missing.length) throw refuse(unnamed.join(", "));
  return { deployment: { ...file, contracts }, missing };
}
