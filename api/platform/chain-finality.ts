/** Blocks after which a write is answered, by chain. A reorganisation deeper than this is rare there. */
const confirmations: Record<number, number> = {
  // Ethereum and Sepolia.
  1: 3,
  11155111: 3,
  // Rollups, whose one sequencer orders each transaction once: OP, Base, Arbitrum, Celo.
  10: 1,
  8453: 1,
  42161: 1,
  42220: 1,
  // Development.
  1337: 1,
  31337: 1,
};

export const confirmationsOf = (chainId: number): number => confirmations[chainId] ?? 4;

/** Blocks after which a chain cannot lose one, by chain: as many as the indexer (Ponder) waits for. */
const finality: Record<number, number> = {
  1: 65,
  11155111: 65,
  137: 200,
  42161: 240,
};

export const finalityOf = (chainId: number): number => finality[chainId] ?? 30;
