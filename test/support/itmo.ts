import { randomInt } from "node:crypto";
import { createWalletClient, encodeFunctionData, type Hex, http, publicActions, toHex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { abis } from "../../api/platform/chain/contracts.ts";
import type { Conversion, ConversionToSign } from "../../api/scheme/itmo/conversions/schemas.ts";
import { ReleasedLots } from "./lots.ts";
import { type Answer, type Caller, openRegistryTest, type RegistryTest } from "./registry.ts";

export const implementerDid = "did:ixo:implementer/1";
/** Micro-CARBON of one CARBON. */
const CARBON = 1_000_000n;

export type ItmoTest = RegistryTest & {
  regulator: Caller;
  implementer: Caller;
  /** The implementer's own account. */
  account: PrivateKeyAccount;
  /** The first of so many serials of ZMB01 that no other conversion of this test has. */
  takeSerials: (quantity: number) => number;
  /** Gives an account CARBON, of a vintage: 2025 unless given. */
  fund: (carbon: number, to?: Hex, vintage?: number) => Promise<void>;
  lots: ReleasedLots;
  /** Sends transactions of the implementer's account as they were prepared. */
  sendOwn: (transactions: ConversionToSign["transactions"]) => Promise<void>;
};

/** For tests: the API over a chain with one implementer whose account the test holds, and keys of both roles. */
export async function openItmoTest(env: Record<string, string> = {}): Promise<ItmoTest> {
  const test = await openRegistryTest(env);
  const account = privateKeyToAccount(toHex(randomInt(1, 2 ** 40), { size: 32 }));
  requireStatus(
    await test.admin("POST", "/implementers", { did: implementerDid, account: account.address, name: "Implementer" }),
    201,
  );
  const { anvil, contracts } = test.world;
  const rpc = createWalletClient({ transport: http(anvil.url), pollingInterval: 20 }).extend(publicActions);
  const ask = rpc.request as (call: { method: string; params: unknown[] }) => Promise<unknown>;
  const asAccount = async (from: Hex, to: Hex, data: Hex) => {
    await ask({ method: "anvil_setBalance", params: [from, toHex(10n ** 20n)] });
    await ask({ method: "anvil_impersonateAccount", params: [from] });
    const hash = (await ask({ method: "eth_sendTransaction", params: [{ from, to, data }] })) as Hex;
    const { status } = await rpc.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new Error("The transaction was refused.");
  };
  let nextSerial = 1;
  const lots = new ReleasedLots({
    contracts,
    sendAs: asAccount,
    read: (name, args) => test.deps.chain.read("certificates", name, args),
  });
  return {
    ...test,
    account,
    lots,
    takeSerials: (quantity) => {
      nextSerial += quantity;
      return nextSerial - quantity;
    },
    regulator: await test.as("regulator"),
    implementer: await test.as("implementer", { implementerDid }),
    // The ledger mints to itself; what it then gives away stands for CARBON that went through redemption and pool.
    fund: async (carbon, to = account.address, vintage = 2025) => {
      const amount = BigInt(carbon) * CARBON;
      const { carbon: token, vouchers } = contracts.addresses;
      const call = (functionName: "mint" | "transfer", args: unknown[]) =>
        encodeFunctionData({ abi: abis.carbon, functionName, args } as never);
      await lots.release(amount, vintage);
      await asAccount(vouchers, token, call("mint", [amount]));
      await asAccount(vouchers, token, call("transfer", [to, amount]));
    },
    sendOwn: async (transactions) => {
      await ask({ method: "anvil_setBalance", params: [account.address, toHex(10n ** 20n)] });
      for (const { unsignedTransaction, transaction } of transactions) {
        const { to, data, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, chainId } = transaction;
        const fees = { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
        const call = { type: "eip1559", to: to as Hex, data: data as Hex, nonce, gas: BigInt(gas), chainId } as const;
        if (!unsignedTransaction.startsWith("0x02")) throw new Error("A transaction of type 2 is expected.");
        const signedTransaction = await account.signTransaction({ ...call, ...fees });
        requireStatus(await test.admin("POST", "/transactions", { signedTransaction }), 201);
      }
    },
  };
}

/** A cooperative approach's body. */
export function exampleApproach(changes: Record<string, unknown> = {}) {
  return {
    cooperativeApproachId: "CA0001",
    firstTransferringPartyId: "ZMB",
    participatingPartyIds: ["CHE", "SWE"],
    sectors: ["Energy generation"],
    activityType: "Energy Efficiency households",
    ...changes,
  };
}

/** An authorization's body. */
export function exampleAuthorization(changes: Record<string, unknown> = {}) {
  return {
    authorizationId: "ZMB-2025-001",
    cooperativeApproachId: "CA0001",
    date: "2025-01-15",
    authorizedQuantity: 100_000,
    purpose: "NDC and OIMP",
    authorizedEntities: [{ name: "Clean Cooking AG", countryOfIncorporation: "CHE", id: "CHE-114.049.112" }],
    timeframe: "2021 - 2030",
    firstTransferDefinition: "Use or Cancellation",
    ...changes,
  };
}

/** A conversion's body. */
export function exampleConversion(changes: Record<string, unknown> = {}) {
  const ids = { cooperativeApproachId: "CA0001", authorizationId: "ZMB-2025-001" };
  return { implementerDid, amount: 1000, ...ids, vintage: 2025, ...changes };
}

type Body = ReturnType<typeof exampleConversion>;

/** Asks what is to be signed, signs it, and answers the body to be sent then. */
export async function signConversion({ implementer, account }: ItmoTest, body: Body = exampleConversion()) {
  const answer = requireStatus(await implementer("POST", "/itmo/conversions", body), 200).body as ConversionToSign;
  const signatures: Record<string, string | number> = { nonce: answer.nonce, deadline: answer.deadline };
  for (const { name, domain, types, primaryType, message } of answer.typedData) {
    signatures[name] = await account.signTypedData({ domain, types, primaryType, message } as never);
  }
  return { ...body, signatures };
}

/** Funds and requests a conversion by a relayed order. */
export async function requestedConversion(test: ItmoTest, body: Body = exampleConversion()): Promise<Conversion> {
  await test.fund(body.amount, test.account.address, body.vintage);
  const signed = await signConversion(test, body);
  return requireStatus(await test.implementer("POST", "/itmo/conversions", signed), 201).body as Conversion;
}

/** Requests and finalises a conversion, with the next serials of ZMB01. */
export async function finalisedConversion(test: ItmoTest, body: Body = exampleConversion()): Promise<Conversion> {
  const { conversionId, quantity } = await requestedConversion(test, body);
  const firstId = test.takeSerials(quantity);
  const serials = { itmoRegistryId: "ZMB01", firstId, lastId: firstId + quantity - 1 };
  const path = `/itmo/conversions/${conversionId}/finalise`;
  return requireStatus(await test.regulator("POST", path, serials), 200).body as Conversion;
}

export function requireStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`${status} was expected, not ${answer.status}: ${JSON.stringify(answer.body)}`);
}
