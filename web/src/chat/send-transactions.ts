import { session } from "../session/session.ts";
import { walletProvider } from "../session/wallet.ts";

type Unsigned = { chainId: number; to: string; data: string; value: string };

/** How often a receipt is asked for, and for how long, in milliseconds. */
const pollMs = 1_000;
const waitMs = 120_000;

/**
 * Have the wallet sign and send transactions, each after the one before is mined. Resolves with their hashes.
 * @throws Error when no wallet is there, its owner refuses, or a transaction fails
 */
export async function sendTransactions(messages: unknown[]): Promise<string[]> {
  const from = session().wallet?.address;
  const wallet = await walletProvider();
  const hashes: string[] = [];
  for (const { chainId, to, data, value } of messages as Unsigned[]) {
    const transaction = { from, to, data, value, chainId: `0x${chainId.toString(16)}` };
    const hash = (await wallet.request({ method: "eth_sendTransaction", params: [transaction] })) as string;
    await mined(wallet, hash);
    hashes.push(hash);
  }
  return hashes;
}

type Wallet = Awaited<ReturnType<typeof walletProvider>>;

async function mined(wallet: Wallet, hash: string): Promise<void> {
  for (const until = Date.now() + waitMs; Date.now() < until; ) {
    const receipt = (await wallet.request({ method: "eth_getTransactionReceipt", params: [hash] })) as {
      status: string;
    } | null;
    if (receipt?.status === "0x1") return;
    if (receipt !== null) throw new Error(`Transaction ${hash} failed on chain.`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new Error(`Transaction ${hash} was not mined within two minutes.`);
}
