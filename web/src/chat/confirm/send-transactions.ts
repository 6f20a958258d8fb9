import type { UnsignedTransaction } from "../../session/send-transactions.ts";

/**
 * Let the wallet sign and send the SDK's transactions. Resolves with their hashes. The code for it is loaded with the first one.
 * @throws as sendInOrder
 */
export async function sendTransactions(messages: unknown[]): Promise<string[]> {
  const { sendInOrder } = await import("../../session/send-transactions.ts");
  const receipts = await sendInOrder(messages as UnsignedTransaction[]);
  return receipts.map(({ transactionHash }) => transactionHash);
}
