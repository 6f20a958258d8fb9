import { sendInOrder, type UnsignedTransaction } from "../../session/send-transactions.ts";

/**
 * Let the wallet sign and send the SDK's transactions. Resolves with their hashes.
 * @throws as sendInOrder
 */
export async function sendTransactions(messages: unknown[]): Promise<string[]> {
  const receipts = await sendInOrder(messages as UnsignedTransaction[]);
  return receipts.map(({ transactionHash }) => transactionHash);
}
