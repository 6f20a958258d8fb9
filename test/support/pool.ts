import { encodeFunctionData, type Hex, maxUint64, toHex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { carbonAbi } from "../../deployments/abi/carbon.ts";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { stablecoinAbi } from "../../deployments/abi/stablecoin.ts";
import { openRegistryTest, type RegistryTest } from "./registry.ts";
import { createCouncil, type TestScheme } from "./scheme.ts";

export const implementerDid = "did:ixo:implementer/1";
export const supplierDid = "did:ixo:supplier/456";
export const CARBON = 1_000_000n;
const guardianRole = 1n;

export type Body = Record<string, unknown>;

export type PoolTest = RegistryTest & {
  /** The accounts that both are registered with. */
  implementer: PrivateKeyAccount;
  supplier: PrivateKeyAccount;
  council: (functionName: string, ...args: unknown[]) => Promise<void>;
  /** Change some caps; the others have no bound. */
  setCaps: (
    caps?: Partial<Record<"perTransaction" | "perWindow" | "perDay" | "lifetime" | "perSupplierDay", bigint>>,
  ) => Promise<void>;
  /** Send from an account whose key nobody has. */
  sendAs: (from: Hex, to: Hex | undefined, data: Hex) => Promise<void>;
  giveCarbon: (to: Hex, amount: bigint) => Promise<void>;
  giveStablecoin: (to: Hex, amount: bigint) => Promise<void>;
  balance: (token: "carbon" | "stablecoin", of: Hex) => Promise<bigint>;
  /** POST /v1/pool/swap as admin; a deadline far off unless the body names one. */
  swap: (body: Body, headers?: Record<string, string>) => ReturnType<RegistryTest["admin"]>;
  /** Sign what a swap's first answer asks for, and send both. */
  swapSigned: (
    by: PrivateKeyAccount,
    body: Body,
    headers?: Record<string, string>,
  ) => ReturnType<RegistryTest["admin"]>;
};

/** For tests: the whole API, a pool of 1 000 000 of either token, an implementer with stablecoin, a supplier with CARBON. */
export async function openPoolTest(env: Record<string, string> = {}): Promise<PoolTest> {
  return await addPool(await openRegistryTest(env));
}

/** The same over an API that runs; who is registered there already stays. */
export async function addPool(api: RegistryTest): Promise<PoolTest> {
  const { world, deps, admin } = api;
  const { addresses, client } = deps.chain;
  const council: TestScheme["council"] = createCouncil(world);
  const deployer = privateKeyToAccount(world.contracts.keys.deployer).address;
  const sendAs: PoolTest["sendAs"] = async (from, to, data) => {
    const { anvil } = world;
    await anvil.rpc("anvil_setBalance", [from, toHex(10n ** 22n)]);
    await anvil.rpc("anvil_impersonateAccount", [from]);
    const hash = (await anvil.rpc("eth_sendTransaction", [
      { from, ...(to === undefined ? {} : { to }), data, gas: toHex(1_500_000n) },
    ])) as Hex;
    const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    if (status !== "success") throw new Error(`A call of ${to} was refused.`);
  };
  const carbonCall = (functionName: "mint" | "transfer", ...args: unknown[]) =>
    sendAs(addresses.vouchers, addresses.carbon, encodeFunctionData({ abi: carbonAbi, functionName, args } as never));
  const giveCarbon: PoolTest["giveCarbon"] = async (to, amount) => {
    await carbonCall("mint", amount);
    await carbonCall("transfer", to, amount);
  };
  const giveStablecoin: PoolTest["giveStablecoin"] = (to, amount) =>
    sendAs(
      deployer,
      addresses.stablecoin,
      encodeFunctionData({ abi: stablecoinAbi, functionName: "mint", args: [to, amount] }),
    );
  const swap: PoolTest["swap"] = (body, headers) =>
    admin("POST", "/pool/swap", { deadline: 4_000_000_000, ...body }, headers);
  const [implementer, supplier] = [keyOf(1), keyOf(2)];
  await admin("POST", "/implementers", { did: implementerDid, account: implementer.address, name: "Stoves" });
  await admin("POST", "/suppliers", { did: supplierDid, account: supplier.address, name: "Shop" });
  const roleArgs = [guardianRole, deployer, 0] as const;
  const grant = encodeFunctionData({ abi: participantsAbi, functionName: "grantRole", args: roleArgs });
  await sendAs(deployer, addresses.participants, grant);
  for (const account of [addresses.pool, supplier.address]) await giveCarbon(account, 1_000_000n * CARBON);
  for (const account of [addresses.pool, implementer.address]) await giveStablecoin(account, 1_000_000n * CARBON);
  await council("pool", "takeIn", []);
  return {
    ...api,
    implementer,
    supplier,
    sendAs,
    giveCarbon,
    giveStablecoin,
    swap,
    council: async (functionName, ...args) => {
      await council("pool", functionName, args);
      if (functionName !== "setPrice") return;
      // Until chain time advances, swaps have the worse of both prices.
      await world.anvil.rpc("evm_increaseTime", [1]);
      await world.anvil.rpc("evm_mine", []);
    },
    setCaps: (caps = {}) => council("pool", "setCaps", [{ ...unbounded, ...caps }]),
    balance: (token, of) =>
      client.readContract({ abi: carbonAbi, address: addresses[token], functionName: "balanceOf", args: [of] }),
    swapSigned: async (by, body, headers) => {
      const asked = await swap(body);
      if (asked.status !== 200) return asked;
      return await swap({ ...body, signatures: await signAll(by, asked.body) }, headers);
    },
  };
}

const unbounded = {
  perTransaction: maxUint64,
  perWindow: maxUint64,
  perDay: maxUint64,
  lifetime: maxUint64,
  perSupplierDay: maxUint64,
};

export const keyOf = (seed: number): PrivateKeyAccount => privateKeyToAccount(toHex(seed, { size: 32 }));

/** Signatures of what POST /v1/pool/swap asks for, in its order. */
export async function signAll(by: PrivateKeyAccount, answer: unknown): Promise<Hex[]> {
  const { typedData } = answer as { typedData: Parameters<PrivateKeyAccount["signTypedData"]>[0][] };
  return await Promise.all(typedData.map((each) => by.signTypedData(each)));
}
