import type { Hex, PublicClient } from "viem";

/** How many blocks are searched at most. A search by old states would be faster, but most nodes keep blocks for much longer than states. */
const maxBlocks = 20_000n;
/** How many blocks are requested together. */
const together = 8n;

/**
 * Find the transaction that used an account's nonce, in block `newest` or before.
 * @returns undefined when there is none after `oldest`, or in the last 20 000 blocks
 */
export async function findNonceUse(
  client: PublicClient,
  { address, nonce }: { address: Hex; nonce: number },
  { oldest, newest }: { oldest: bigint; newest: bigint },
): Promise<Hex | undefined> {
  const last = newest - maxBlocks > oldest ? newest - maxBlocks : oldest;
  for (let block = newest; block > last; block -= together) {
    const count = Number(block - last < together ? block - last : together);
    const numbers = Array.from({ length: count }, (_, i) => block - BigInt(i));
    const blocks = await Promise.all(
      numbers.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true })),
    );
    const own = blocks.flatMap(({ transactions }) =>
      transactions.filter(({ from }) => from.toLowerCase() === address.toLowerCase()),
    );
    const found = own.find((each) => each.nonce === nonce);
    if (found !== undefined) return found.hash;
    // Nonces rise with the blocks.
    if (own.some((each) => each.nonce < nonce)) return undefined;
  }
  return undefined;
}
