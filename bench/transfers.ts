import { randomBytes } from "node:crypto";
import { createPublicClient, createTestClient, encodeFunctionData, erc20Abi, type Hex, http, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { BenchStack } from "./stack.ts";

/**
 * Plain ERC-20 transfers that one client gets confirmed per second: it signs, sends and watches blocks, with at most
 * `inFlight` unconfirmed transfers.
 */
export async function confirmTransfers(
  stack: BenchStack,
  options: { seconds: number; inFlight: number },
): Promise<number> {
  const transport = http(stack.rpcUrl, { fetchOptions: { keepalive: true } });
  const client = createPublicClient({ transport, cacheTime: 0 });
  const account = privateKeyToAccount(`0x${randomBytes(32).toString("hex")}`);
  await createTestClient({ mode: "anvil", transport }).setBalance({
    address: account.address,
    value: parseEther("1000"),
  });
  const faucet = await stack.call("POST", "/v1/dev/faucet", { account: account.address, amount: 1_000_000 });
  const token = faucet.token as Hex;
  const chainId = await client.getChainId();
  const block = await client.getBlock();
  const pending = new Set<Hex>();
  let confirmed = 0;
  let seen = block.number;
  let nonce = 0;
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1000;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [account.address, 1n] });
  const fees = { maxFeePerGas: (block.baseFeePerGas ?? 0n) * 2n + 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n };
  const send = async () => {
    const raw = await account.signTransaction({
      to: token,
      data,
      nonce: nonce++,
      gas: 80_000n,
      chainId,
      type: "eip1559",
      ...fees,
    });
    pending.add(await client.sendRawTransaction({ serializedTransaction: raw }));
  };
  const sender = async () => {
    while (elapsed() < options.seconds) {
      if (pending.size < options.inFlight) await send();
      else await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const watch = async () => {
    while (elapsed() < options.seconds) {
      const latest = await client.getBlockNumber();
      for (; seen < latest; seen++) {
        const { transactions } = await client.getBlock({ blockNumber: seen + 1n });
        for (const hash of transactions) if (pending.delete(hash)) confirmed++;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await Promise.all([watch(), ...Array.from({ length: 50 }, sender)]);
  return confirmed / elapsed();
}
