import { BaseError, type Hex, type PublicClient } from "viem";

/**
 * Result of sending a transaction to a node. `sent`: the node has it, had it, or says that its nonce is used; the receipt decides.
 * `refused`: the node will never accept these bytes. `unreachable`: unknown; they are sent again later.
 */
export type Broadcast =
  | { outcome: "sent" }
  | { outcome: "refused"; reason: string }
  | { outcome: "unreachable"; error: unknown };

const settledByReceipt = /already known|already imported|known transaction|nonce too low|nonce is too low|underpriced/i;
const refusals =
  /insufficient funds|intrinsic gas|exceeds block gas|gas limit|max fee per gas|fee cap|invalid (sender|signature|chain)|chain id|nonce too high/i;

export async function broadcast(client: PublicClient, raw: Hex): Promise<Broadcast> {
  try {
    await client.sendRawTransaction({ serializedTransaction: raw });
    return { outcome: "sent" };
  } catch (error) {
    const text = error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error);
    if (settledByReceipt.test(text)) return { outcome: "sent" };
    if (refusals.test(text)) return { outcome: "refused", reason: text.slice(0, 300) };
    return { outcome: "unreachable", error };
  }
}
