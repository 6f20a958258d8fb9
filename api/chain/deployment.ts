import { readFile } from "node:fs/promises";
import { type Address, getAddress } from "viem";
import { z } from "zod";
import { type Addresses, abis, type ContractName } from "./contracts.ts";

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => getAddress(text.toLowerCase()));

/** What scripts/deploy.ts writes and the API needs of it; other fields are for others. */
const deploymentFile = z.object({
  chainId: z.number().int().positive(),
  startBlock: z.number().int().nonnegative().default(0),
  contracts: z.record(z.string(), address),
});

export type Deployment = {
  chainId: number;
  startBlock: bigint;
  addresses: Addresses;
  /** The ERC-1056 registry of did:ethr, where the deployment has one. */
  didRegistry: Address | undefined;
};

/** Read a deployment file. Throws a sentence that names the file and what is missing. */
export async function readDeployment(path: string): Promise<Deployment> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The deployment file ${path} cannot be read (${error.code}). Deploy the contracts first.`);
  });
  const parsed = deploymentFile.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`The deployment file ${path} is not one: ${z.prettifyError(parsed.error)}`);
  const { chainId, startBlock, contracts } = parsed.data;
  const byName = new Map(Object.entries(contracts).map(([name, value]) => [name.toLowerCase(), value]));
  const names = Object.keys(abis) as ContractName[];
  const missing = names.filter((name) => !byName.has(name));
  if (missing.length > 0) throw new Error(`The deployment file ${path} does not name: ${missing.join(", ")}.`);
  const addresses = Object.fromEntries(names.map((name) => [name, byName.get(name)])) as Addresses;
  return { chainId, startBlock: BigInt(startBlock), addresses, didRegistry: byName.get("didregistry") };
}
