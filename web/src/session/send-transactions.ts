import { session } from "./session.ts";
import { askWallet, type Provider, switchChain, walletProvider } from "./wallet.ts";
import { WalletError } from "./wallet-error.ts";

/** As `transaction` of POST /v1/transactions/prepare; `value` is decimal or hexadecimal. `from` absent: the wallet's account. */
export type UnsignedTransaction = { chainId: number; from?: string; to: string; data: string; value: string };
export type Log = { address: `0x${string}`; data: `0x${string}`; topics: [`0x${string}`, ...`0x${string}`[]] };
export type Receipt = { transactionHash: `0x${string}`; status: string; logs: Log[] };

/** Interval and time-out of polling for a receipt, in milliseconds. */
const pollMs = 1_000;
const waitMs = 120_000;

/**
 * Hashes of transactions that this tab sent and has not seen mined. A repeated request waits for them, so that it is
 * paid once.
 */
const unmined = new Map<string, string>();

/**
 * Let the wallet sign and send transactions, each after the one before is mined. Resolves with their receipts.
 *
 * @throws WalletError when there is no wallet, or its owner refuses; Error when a transaction fails
 */
export async function sendInOrder(transactions: readonly UnsignedTransaction[]): Promise<Receipt[]> {
  const address = session().wallet?.address;
  if (address === undefined) throw new WalletError("absent");
  const provider = await walletProvider();
  const receipts: Receipt[] = [];
  for (const { chainId, from = address, to, data, value } of transactions) {
    // The contract would refuse another account, and charge its fee.
    if (from.toLowerCase() !== address.toLowerCase()) throw new WalletError("account");
    await switchChain(provider, chainId);
    // Wallets expect hexadecimal quantities, and choose fee and nonce.
    const quantities = { value: `0x${BigInt(value).toString(16)}`, chainId: `0x${chainId.toString(16)}` };
    const transaction = { from, to, data, ...quantities };
    const key = JSON.stringify(transaction);
    const hash = unmined.get(key) ?? (await askWallet<string>(provider, "eth_sendTransaction", [transaction]));
    unmined.set(key, hash);
    const receipt = await mined(provider, hash);
    unmined.delete(key);
    if (receipt.status !== "0x1") throw new Error(`Transaction ${hash} failed on chain.`);
    receipts.push(receipt);
  }
  return receipts;
}

async function mined(provider: Provider, hash: string): Promise<Receipt> {
  for (const until = Date.now() + waitMs; Date.now() < until; ) {
    const receipt = await askWallet<Receipt | null>(provider, "eth_getTransactionReceipt", [hash]);
    if (receipt !== null) return receipt;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new Error(`Transaction ${hash} was not mined within two minutes.`);
}
