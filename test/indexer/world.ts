import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Abi, createWalletClient, type Hex, http, publicActions, type TransactionReceipt, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { abis, type ContractName } from "../../api/platform/chain/contracts.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { chainTemplate } from "../support/chain-template.ts";
import { deployTestContracts, type TestContracts } from "../support/contracts.ts";

export type Sender = keyof TestContracts["keys"] | "adjudicator";

/** A local chain with the real contracts and a folder with its deployment file. */
export type World = {
  anvil: Anvil;
  folder: string;
  deployment: string;
  contracts: TestContracts;
  /** Send a transaction, and mine a block for it. Throws when it is refused. */
  send(from: Sender, contract: ContractName, call: string, args: unknown[]): Promise<TransactionReceipt>;
  read(contract: ContractName, view: string, args: unknown[]): Promise<unknown>;
  close(): Promise<void>;
};

/**
 * Start a chain with the contracts.
 *
 * @param options.isNewChain deploy on a new chain; without it, worlds share one genesis and the contracts' addresses
 * @param options.blockSeconds how often the chain mines a block by itself, although nothing happened: each costs the indexer some
 * hundredths of a second of processor time. A whole number on a new chain
 */
export async function createWorld({ isNewChain = false, blockSeconds = 2 } = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "hearth-indexer-"));
  const { anvil, contracts, deployment } = await (isNewChain ? deployOnNewChain : copyTemplate)(folder, blockSeconds);
  const adjudicator = toHex(1n, { size: 32 });
  const keys: Record<Sender, Hex> = { ...contracts.keys, adjudicator };
  const wallets = new Map<Sender, ReturnType<typeof connect>>();
  const connect = (key: Hex) =>
    createWalletClient({
      account: privateKeyToAccount(key),
      transport: http(anvil.url),
      pollingInterval: 50,
    }).extend(publicActions);
  for (const [name, key] of Object.entries(keys)) wallets.set(name as Sender, connect(key));
  const abiOf = (contract: ContractName) => abis[contract] as Abi;

  const send: World["send"] = async (from, contract, functionName, args) => {
    const wallet = wallets.get(from) as ReturnType<typeof connect>;
    const call = { abi: abiOf(contract), address: contracts.addresses[contract], functionName, args };
    const { request } = await wallet.simulateContract({ ...call, account: wallet.account });
    const hash = await wallet.writeContract({ ...request, gas: 150_000_000n, chain: null } as never);
    await anvil.rpc("evm_mine");
    const receipt = await wallet.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`${functionName} was refused`);
    return receipt;
  };
  const read: World["read"] = (contract, functionName, args) => {
    const wallet = wallets.get("operator") as ReturnType<typeof connect>;
    return wallet.readContract({ abi: abiOf(contract), address: contracts.addresses[contract], functionName, args });
  };

  const account = privateKeyToAccount(adjudicator).address;
  await anvil.rpc("anvil_setBalance", [account, toHex(10n ** 24n)]);
  await send("deployer", "participants", "grantRole", [4n, account, 0]);
  const close = async () => {
    await anvil.stop("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  return { anvil, folder, deployment, contracts, send, read, close };
}

async function deployOnNewChain(folder: string, blockSeconds: number) {
  // Each transaction of the deployment waits for a block.
  const anvil = await startAnvil();
  const deployment = join(folder, "deployment.json");
  const contracts = await deployTestContracts(anvil, deployment);
  await anvil.rpc("evm_setIntervalMining", [blockSeconds]);
  return { anvil, deployment, contracts };
}

async function copyTemplate(folder: string, blockSeconds: number) {
  const { stateFile, contracts, place } = await chainTemplate();
  const anvil = await startAnvil({ blockSeconds, loadFile: stateFile });
  return { anvil, deployment: await place(folder), contracts };
}
