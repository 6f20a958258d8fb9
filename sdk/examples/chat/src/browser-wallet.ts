type Provider = { request: (call: { method: string; params?: unknown[] }) => Promise<unknown> };

/** A transaction of `useContractOracle`, without sender and fees. */
type Unsigned = { chainId: number; to: string; data: string; value: string };

const pollMs = 500;
const maxWaitMs = 120_000;

/**
 * Implement `transactSignX` with the browser's wallet (EIP-1193): send each transaction after the previous one is mined.
 * @returns the transactions' hashes
 * @throws Error when there is no wallet, its owner refuses, or a transaction fails
 */
export async function signAndSend(messages: unknown[]): Promise<string[]> {
  const { ethereum } = window as { ethereum?: Provider };
  if (ethereum === undefined) throw new Error("This browser has no wallet. Install one to pay.");
  const [from] = (await ethereum.request({ method: "eth_requestAccounts" })) as string[];
  const hashes: string[] = [];
  for (const { chainId, ...call } of messages as Unsigned[]) {
    const transaction = { ...call, from, chainId: `0x${chainId.toString(16)}` };
    const hash = (await ethereum.request({ method: "eth_sendTransaction", params: [transaction] })) as string;
    await mined(ethereum, hash);
    hashes.push(hash);
  }
  return hashes;
}

async function mined(ethereum: Provider, hash: string): Promise<void> {
  for (const until = Date.now() + maxWaitMs; Date.now() < until; ) {
    const receipt = await ethereum.request({ method: "eth_getTransactionReceipt", params: [hash] });
    const { status } = (receipt ?? {}) as { status?: string };
    if (status === "0x1") return;
    if (status !== undefined) throw new Error(`Transaction ${hash} failed.`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new Error(`Transaction ${hash} was not mined in time.`);
}
