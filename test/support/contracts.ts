import { readFile } from "node:fs/promises";
import {
  type Abi,
  createWalletClient,
  getContractAddress,
  type Hex,
  http,
  maxUint64,
  publicActions,
  toHex,
  zeroAddress,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Addresses } from "../../api/chain/contracts.ts";
import type { Anvil } from "./anvil.ts";

export type TestKeys = Record<"deployer" | "operator" | "registrar" | "evaluator", Hex>;
export type TestContracts = { addresses: Addresses & { stablecoin: Hex }; keys: TestKeys; startBlock: number };

const roles = { registrar: 2n, operator: 3n, evaluator: 4n } as const;
const LEDGER = 5n;

/** Deploy the real contracts for a test. The deployer stays their council, so that a test can do whatever it needs. */
export async function deployTestContracts(anvil: Anvil): Promise<TestContracts> {
  const keys: TestKeys = {
    deployer: generatePrivateKey(),
    operator: generatePrivateKey(),
    registrar: generatePrivateKey(),
    evaluator: generatePrivateKey(),
  };
  for (const key of Object.values(keys)) {
    await anvil.rpc("anvil_setBalance", [privateKeyToAccount(key).address, toHex(10n ** 24n)]);
  }
  const account = privateKeyToAccount(keys.deployer);
  const wallet = createWalletClient({ account, transport: http(anvil.url), pollingInterval: 50 }).extend(publicActions);
  const address = (nonce: number) => getContractAddress({ from: account.address, nonce: BigInt(nonce) });
  const [participants, stablecoin, certificates, carbon, vouchers, claims, pool, directory, audits] = [
    ...Array(9).keys(),
  ].map(address) as [Hex, Hex, Hex, Hex, Hex, Hex, Hex, Hex, Hex];
  const caps = {
    perTransaction: maxUint64,
    perWindow: maxUint64,
    perDay: maxUint64,
    lifetime: maxUint64,
    perSupplierDay: maxUint64,
  };
  const steps: [string, unknown[]][] = [
    ["participants/Participants", [account.address]],
    ["mocks/TestStablecoin", [account.address]],
    ["certificates/Certificates", [participants, vouchers]],
    ["carbon/Carbon", [vouchers]],
    ["vouchers/Vouchers", [participants, certificates, carbon, claims, pool]],
    ["claims/Claims", [participants, vouchers, carbon, pool, maxUint64, 0n]],
    ["pool/Pool", [participants, carbon, stablecoin, claims, 50_000n, caps]],
    ["governance/Directory", [participants]],
    ["audits/Audits", [participants]],
  ];
  let startBlock: bigint | undefined;
  const hashes: Hex[] = [];
  for (const [nonce, [name, args]] of steps.entries()) {
    const { abi, bytecode } = await readArtifact(name);
    const request = { abi, bytecode, args, nonce, gas: 12_000_000n, chain: null };
    hashes.push(await wallet.deployContract(request));
  }
  const { abi } = await readArtifact("participants/Participants");
  let nonce = steps.length;
  const grantees = Object.entries(roles).map(
    ([name, role]) => [role, privateKeyToAccount(keys[name as keyof typeof roles]).address] as const,
  );
  for (const [role, grantee] of [...grantees, [LEDGER, vouchers] as const]) {
    const call = { abi, address: participants, functionName: "grantRole", args: [role, grantee, 0] };
    hashes.push(await wallet.writeContract({ ...call, nonce: nonce++, gas: 500_000n, chain: null }));
  }
  for (const hash of hashes) {
    const receipt = await wallet.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`Deployment step ${hashes.indexOf(hash)} was refused.`);
    startBlock ??= receipt.blockNumber;
  }
  if (participants === zeroAddress) throw new Error("No address.");
  return {
    addresses: { participants, certificates, carbon, vouchers, claims, pool, directory, audits, stablecoin },
    keys,
    startBlock: Number(startBlock ?? 0n),
  };
}

export async function readArtifact(name: string): Promise<{ abi: Abi; bytecode: Hex }> {
  const contract = name.slice(name.indexOf("/") + 1);
  const path = new URL(`../../artifacts/contracts/${name}.sol/${contract}.json`, import.meta.url);
  return JSON.parse(await readFile(path, "utf8"));
}
