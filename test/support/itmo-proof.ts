import { createWalletClient, encodeFunctionData, type Hex, http, publicActions, type TransactionReceipt } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { itmoAbi } from "../../deployments/abi/itmo.ts";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { roleNumbers } from "../../deployments/role-numbers.ts";
import { codeBytes } from "../../wire/src/code-text.ts";
import type { TestWorld } from "./chain.ts";

type Part = { block: bigint; firstId: bigint; lastId: bigint };

/** Calldata of the registrar's actions on a part of a block. */
export const actions = {
  transfer: ({ block, firstId, lastId }: Part, party: string, note = ""): Hex =>
    encodeFunctionData({
      abi: itmoAbi,
      functionName: "transfer",
      args: [{ blockId: block, firstId, lastId }, codeBytes(party), note],
    }),
  useForNdc: ({ block, firstId, lastId }: Part, year: number): Hex =>
    encodeFunctionData({
      abi: itmoAbi,
      functionName: "useForNdc",
      args: [{ blockId: block, firstId, lastId }, year, ""],
    }),
};

/**
 * For tests: mine calls of the ITMO contract in one block, in their order, after as many plain transfers as `fillers` says. The
 * API cannot promise that: each of its writes waits for its block. Nor may its accounts be used by others meanwhile, so the
 * deployer is made a registrar.
 */
export async function inOneBlock(world: TestWorld, calls: Hex[], fillers = 0): Promise<TransactionReceipt[]> {
  const { anvil, contracts } = world;
  const { itmo, participants } = contracts.addresses;
  const account = privateKeyToAccount(contracts.keys.deployer);
  const wallet = createWalletClient({ account, transport: http(anvil.url), pollingInterval: 20 }).extend(publicActions);
  const grant = {
    abi: participantsAbi,
    functionName: "grantRole",
    args: [roleNumbers.registrar, account.address, 0],
  } as const;
  const granted = await wallet.writeContract({ ...grant, address: participants, chain: null });
  await wallet.waitForTransactionReceipt({ hash: granted });
  const first = await wallet.getTransactionCount({ address: account.address });
  const fill = { to: account.address, gas: 21_000n };
  const all = [
    ...Array.from({ length: fillers }, () => fill),
    ...calls.map((data) => ({ to: itmo, data, gas: 2_000_000n })),
  ];
  await anvil.pauseMining();
  try {
    const hashes: Hex[] = [];
    for (const [i, call] of all.entries()) {
      hashes.push(await wallet.sendTransaction({ ...call, nonce: first + i, chain: null }));
    }
    await anvil.rpc("evm_mine");
    const receipts = await Promise.all(hashes.slice(fillers).map((hash) => wallet.waitForTransactionReceipt({ hash })));
    if (receipts.some(({ status }) => status !== "success")) throw new Error("A call was refused.");
    return receipts;
  } finally {
    // Seconds: the least that it takes.
    await anvil.resumeMining();
  }
}
