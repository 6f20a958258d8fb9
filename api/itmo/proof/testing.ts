import {
  type Abi,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type LocalAccount,
  parseEventLogs,
  type TransactionReceipt,
  toHex,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { carbonAbi } from "../../../deployments/abi/carbon.ts";
import { itmoAbi } from "../../../deployments/abi/itmo.ts";
import { itmoBlockIdOf } from "../../../indexer/schema/itmo-ids.ts";
import { codeBytes } from "../../../indexer/schema/itmo-words.ts";
import type { TestWorld } from "../../../test/support/chain.ts";
import { abis, type ContractName } from "../../chain/contracts.ts";

const tonne = 1_000_000_000n;

export type Call = {
  by: "registrar" | "implementer" | "filler";
  contract: ContractName;
  name: string;
  args: unknown[];
};

/** For tests: ITMOs on a real chain, made by the contract's own calls. */
export type ItmoActions = {
  implementer: LocalAccount;
  /** Mine the calls in one block, in their order, after as many plain transfers as `fillers` says. */
  inOneBlock(calls: Call[], fillers?: number): Promise<TransactionReceipt[]>;
  one(call: Call): Promise<TransactionReceipt>;
  /** Request and finalise a conversion; answers the block's number. */
  mint(tonnes: bigint, terms?: Record<string, unknown>): Promise<bigint>;
  transfer(block: bigint, firstId: bigint, lastId: bigint, party?: string, note?: string): Call;
  useForNdc(block: bigint, firstId: bigint, lastId: bigint): Call;
  cancel(block: bigint, firstId: bigint, lastId: bigint): Call;
};

/** Register an implementer with CARBON, an approach and nothing else yet. */
export async function openItmoActions(world: TestWorld): Promise<ItmoActions> {
  const { anvil, contracts } = world;
  const { addresses, keys } = contracts;
  const client = createPublicClient({ transport: http(anvil.url), pollingInterval: 20, cacheTime: 0 });
  const accounts = {
    registrar: privateKeyToAccount(keys.registrar),
    filler: privateKeyToAccount(keys.deployer),
    implementer: privateKeyToAccount(generatePrivateKey()),
  };
  await anvil.rpc("anvil_setBalance", [accounts.implementer.address, toHex(10n ** 24n)]);

  const send = async ({ by, contract, name, args }: Call, nonce?: number): Promise<Hex> => {
    const wallet = createWalletClient({ account: accounts[by], transport: http(anvil.url) });
    const data = encodeFunctionData({ abi: abis[contract] as Abi, functionName: name, args });
    const call = { to: addresses[contract], data, gas: 2_000_000n, chain: null };
    return wallet.sendTransaction(nonce === undefined ? call : { ...call, nonce });
  };
  const receiptOf = async (hash: Hex) => {
    const receipt = await client.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`A call was refused: ${hash}`);
    return receipt;
  };
  const one = async (call: Call) => {
    const hash = await send(call);
    // The interval is a second once blocks have been mined by hand.
    await anvil.rpc("evm_mine");
    return receiptOf(hash);
  };

  const inOneBlock: ItmoActions["inOneBlock"] = async (calls, fillers = 0) => {
    await anvil.rpc("evm_setIntervalMining", [0]);
    try {
      const wallet = createWalletClient({ account: accounts.filler, transport: http(anvil.url) });
      const first = await client.getTransactionCount({ address: accounts.filler.address });
      for (let i = 0; i < fillers; i++) {
        await wallet.sendTransaction({ to: accounts.filler.address, nonce: first + i, gas: 21_000n, chain: null });
      }
      const next = new Map<string, number>();
      const hashes: Hex[] = [];
      for (const call of calls) {
        const { address } = accounts[call.by];
        const nonce = next.get(address) ?? (await client.getTransactionCount({ address }));
        next.set(address, nonce + 1);
        hashes.push(await send(call, nonce));
      }
      await anvil.rpc("evm_mine");
      return await Promise.all(hashes.map(receiptOf));
    } finally {
      await anvil.rpc("evm_setIntervalMining", [1]);
    }
  };

  await fundWithCarbon();
  await one({
    by: "registrar",
    contract: "participants",
    name: "registerImplementer",
    args: ["did:ixo:implementer/itmo", accounts.implementer.address, "Clean Cooking Ltd"],
  });
  await one({
    by: "implementer",
    contract: "carbon",
    name: "approve",
    args: [addresses.itmo, 2n ** 256n - 1n],
  });
  const approach = {
    approachId: codeBytes("CA0001"),
    firstTransferringParty: codeBytes("ZMB"),
    participatingParties: [codeBytes("CHE"), codeBytes("SWE")],
    sectors: ["Building and construction"],
    activityType: "Energy Efficiency households",
    ndcFirstYear: 2021,
    ndcLastYear: 2030,
  };
  await one({ by: "registrar", contract: "itmo", name: "registerApproach", args: [approach] });

  async function fundWithCarbon(): Promise<void> {
    const from = addresses.vouchers;
    const amount = 1_000_000n * tonne;
    await anvil.rpc("anvil_setBalance", [from, toHex(10n ** 20n)]);
    await anvil.rpc("anvil_impersonateAccount", [from]);
    for (const data of [
      encodeFunctionData({ abi: carbonAbi, functionName: "mint", args: [amount] }),
      encodeFunctionData({ abi: carbonAbi, functionName: "transfer", args: [accounts.implementer.address, amount] }),
    ]) {
      const sent = await anvil.rpc("eth_sendTransaction", [{ from, to: addresses.carbon, data, gas: toHex(500_000n) }]);
      await receiptOf(sent as Hex);
    }
    await anvil.rpc("anvil_stopImpersonatingAccount", [from]);
  }

  let minted = 0;
  let serial = 1n;
  const mint: ItmoActions["mint"] = async (tonnes, terms = {}) => {
    minted++;
    const registration = {
      authorizationId: `ZMB-AUTH ${minted}`,
      approach: 1,
      date: 19_800,
      quantity: tonnes,
      purpose: 1,
      firstTransfer: 0,
      firstYear: 2021,
      lastYear: 2030,
      omgeShare: 0,
      sopShare: 0,
      entities: [{ name: "Buyer AG", country: codeBytes("CHE"), entityId: "CHE-100" }],
      terms: "{}",
      ...terms,
    };
    await one({ by: "registrar", contract: "itmo", name: "registerAuthorization", args: [registration] });
    const order = { implementer: 1, amount: tonnes * tonne, authorization: minted, vintage: 2024 };
    const asked = await one({ by: "implementer", contract: "itmo", name: "requestConversion", args: [order] });
    const [event] = parseEventLogs({ abi: itmoAbi, eventName: "ConversionRequested", logs: asked.logs });
    const conversion = event?.args.conversion ?? 0;
    const [first, last] = [serial, serial + tonnes - 1n];
    serial = last + 1n;
    const args = [conversion, codeBytes("ZMB01"), first, last, conversion - 1];
    await one({ by: "registrar", contract: "itmo", name: "finalise", args });
    return itmoBlockIdOf(conversion, first);
  };

  const onPart = (name: string, block: bigint, firstId: bigint, lastId: bigint, more: unknown[]): Call => ({
    by: "registrar",
    contract: "itmo",
    name,
    args: [{ blockId: block, firstId, lastId }, ...more],
  });
  return {
    implementer: accounts.implementer,
    inOneBlock,
    one,
    mint,
    transfer: (block, firstId, lastId, party = "CHE", note = "") =>
      onPart("transfer", block, firstId, lastId, [codeBytes(party), note]),
    useForNdc: (block, firstId, lastId) => onPart("useForNdc", block, firstId, lastId, [2025, ""]),
    cancel: (block, firstId, lastId) => onPart("cancel", block, firstId, lastId, [1, "", "no longer needed"]),
  };
}
