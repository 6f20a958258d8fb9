import {
  createWalletClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  maxUint64,
  publicActions,
  toHex,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Addresses } from "../../api/platform/chain/contracts.ts";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { roleNumbers } from "../../deployments/role-numbers.ts";
import { artifacts } from "../../scripts/deploy/artifacts.ts";
import { deploy } from "../../scripts/deploy.ts";
import type { Anvil } from "./anvil.ts";

export type TestKeys = Record<"deployer" | "operator" | "registrar" | "evaluator", Hex>;
export type TestContracts = { addresses: Addresses; keys: TestKeys; startBlock: number };

/** No cap limits a test, and nobody needs a stake. */
const settings = {
  price: 50_000n,
  caps: {
    perTransaction: maxUint64,
    perWindow: maxUint64,
    perDay: maxUint64,
    lifetime: maxUint64,
    perSupplierDay: maxUint64,
  },
  operatorCap: maxUint64,
  disputeStake: 0n,
};

/**
 * Deploy the scheme as it is deployed everywhere, and write its deployment file to `out`. Then the timelock hands the
 * council's right to the deployer too, who also owns the stablecoin: so a test can do whatever it needs.
 */
export async function deployTestContracts(anvil: Anvil, out: string): Promise<TestContracts> {
  const keys: TestKeys = {
    deployer: generatePrivateKey(),
    operator: generatePrivateKey(),
    registrar: generatePrivateKey(),
    evaluator: generatePrivateKey(),
  };
  const addressOf = (key: Hex) => privateKeyToAccount(key).address;
  for (const key of Object.values(keys)) await fund(anvil, addressOf(key));
  const account = privateKeyToAccount(keys.deployer);
  const wallet = createWalletClient({ account, transport: http(anvil.url), pollingInterval: 50 }).extend(publicActions);
  const { abi, bytecode } = artifacts.stablecoin();
  const created = await wallet.deployContract({ abi, bytecode, args: [account.address], chain: null });
  const { contractAddress: stablecoin } = await wallet.waitForTransactionReceipt({ hash: created });
  if (!stablecoin) throw new Error("The stablecoin has no address.");
  const { contracts, startBlock } = await deploy({
    rpcUrl: anvil.url,
    out,
    roles: {
      operator: addressOf(keys.operator),
      registrar: addressOf(keys.registrar),
      evaluator: addressOf(keys.evaluator),
      guardian: addressOf(generatePrivateKey()),
      council: [1, 2, 3].map(() => addressOf(generatePrivateKey())),
    },
    deployerKey: keys.deployer,
    settings: { ...settings, stablecoin: getAddress(stablecoin) },
  });
  const functionName = "grantRole";
  const data = encodeFunctionData({
    abi: participantsAbi,
    functionName,
    args: [roleNumbers.council, account.address, 0],
  });
  await sendAs(anvil, contracts.timelock, { to: contracts.participants, data });
  const { council: _safe, timelock: _timelock, didRegistry: _registry, ...addresses } = contracts;
  return { addresses, keys, startBlock };
}

const fund = (anvil: Anvil, address: Hex) => anvil.rpc("anvil_setBalance", [address, toHex(10n ** 24n)]);

/** Send from an account whose key nobody has. */
async function sendAs(anvil: Anvil, from: Hex, call: { to: Hex; data: Hex }): Promise<void> {
  await fund(anvil, from);
  await anvil.rpc("anvil_impersonateAccount", [from]);
  const hash = await anvil.rpc("eth_sendTransaction", [{ from, ...call, gas: toHex(1_000_000n) }]);
  await anvil.rpc("anvil_stopImpersonatingAccount", [from]);
  for (;;) {
    const receipt = (await anvil.rpc("eth_getTransactionReceipt", [hash])) as { status: Hex } | null;
    if (receipt?.status === "0x1") return;
    if (receipt !== null) throw new Error("The timelock's call was refused.");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
