import { createPublicClient, type Hex, http } from "viem";

/** A node's data for a block's number; the caller must trust the node. */
export type NodeWord = { chainId: number; hash: Hex; transactions: readonly Hex[]; head: bigint };

/** @throws an error of viem when the node does not answer, or has no block of that number */
export async function askNode(rpcUrl: string, blockNumber: bigint): Promise<NodeWord> {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: 30_000, retryCount: 1 }) });
  const [chainId, block, head] = await Promise.all([
    client.getChainId(),
    client.getBlock({ blockNumber }),
    client.getBlockNumber(),
  ]);
  return { chainId, hash: block.hash, transactions: block.transactions, head };
}
