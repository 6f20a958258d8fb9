import { createPublicClient, createTestClient, createWalletClient, type Hex, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type DeployedContracts, type DeployedName, readIncomplete } from "../../deployments/deployment.ts";
import { writeDurably } from "../disk-files.ts";
import { artifacts } from "./artifacts.ts";
import { embeddedSettings } from "./plan.ts";

export type AdditionOptions = {
  rpcUrl: string;
  /** Deployment file of an earlier version. */
  out: string;
  /** Pays for the deployment. Absent: created, funded by the test chain and discarded. */
  deployerKey?: Hex;
  /** Called when the contracts are on chain, before the file names them, because everything that it names must survive a kill. */
  persist?: () => Promise<void>;
};

type Existing = Pick<DeployedContracts, "participants" | "certificates" | "stablecoin">;

/** Contracts that hold no role and that no other contract refers to: they can be added at any time. */
const additions = {
  audits: ({ participants }: Existing) => [participants],
  campaigns: ({ participants, certificates }: Existing) => [participants, certificates],
  oracles: ({ participants, stablecoin }: Existing) => [participants, stablecoin],
  parameters: ({ participants }: Existing) => [participants, embeddedSettings.parameters],
};
type Addition = keyof typeof additions;
const isAddition = (name: DeployedName): name is Addition => name in additions;

/**
 * Deploy the contracts that a deployment of an earlier version lacks, and add them to its file.
 * @returns the names of what was added; empty for a whole deployment, or none
 * @throws a sentence that names the contracts which cannot be added, or the chain that the file does not belong to
 */
export async function addMissingContracts(options: AdditionOptions): Promise<DeployedName[]> {
  const found = await readIncomplete(options.out);
  if (found === undefined || found.missing.length === 0) return [];
  const { deployment, missing } = found;
  const impossible = missing.filter((name) => !isAddition(name));
  if (impossible.length > 0) {
    throw new Error(
      `The deployment ${options.out} is of an earlier version and lacks ${impossible.join(", ")}, which cannot be added to ` +
        "it. Use a new data folder (DATA_DIR), or deploy all contracts again.",
    );
  }
  const client = createPublicClient({ transport: http(options.rpcUrl), pollingInterval: 50, cacheTime: 0 });
  const { hash } = await client.getBlock({ blockNumber: 0n });
  if (hash !== deployment.genesisHash)
    throw new Error(`${options.out} belongs to another chain (genesis ${hash} here).`);
  const wallet = await openWallet(options);
  for (const name of missing.filter(isAddition)) {
    const { abi, bytecode } = artifacts[name]();
    const args = additions[name](deployment.contracts);
    const created = await wallet.deployContract({ abi, bytecode, args, chain: null });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: created, timeout: 120_000 });
    if (!contractAddress) throw new Error(`The contract ${name} has no address (${created}).`);
    deployment.contracts[name] = contractAddress;
  }
  await options.persist?.();
  await writeDurably(options.out, `${JSON.stringify(deployment, null, 2)}\n`, 0o644);
  return missing;
}

async function openWallet({ rpcUrl, deployerKey }: AdditionOptions) {
  const account = privateKeyToAccount(deployerKey ?? generatePrivateKey());
  if (deployerKey === undefined) {
    const chain = createTestClient({ mode: "anvil", transport: http(rpcUrl) });
    await chain.setBalance({ address: account.address, value: 10n ** 22n });
  }
  return createWalletClient({ account, transport: http(rpcUrl) });
}
