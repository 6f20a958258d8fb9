import type { HeadWatcher } from "./head.ts";

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

const gwei = 1_000_000_000n;
const floor: Fees = { maxFeePerGas: 10n * gwei, maxPriorityFeePerGas: gwei };

/**
 * Calculate the fees of a new transaction: twice the base fee plus a tip, with a minimum. On a quiet chain all fees are therefore
 * equal, so transactions stay in the order in which they were sent.
 */
export function feesNow(head: HeadWatcher): Fees {
  const doubled = (head.latest?.baseFee ?? 0n) * 2n + floor.maxPriorityFeePerGas;
  return { ...floor, maxFeePerGas: doubled > floor.maxFeePerGas ? doubled : floor.maxFeePerGas };
}

/** Raise fees by a quarter, so that every node accepts the transaction as a replacement (most ask for a tenth). */
export function raise(fees: Fees, head: HeadWatcher): Fees {
  const now = feesNow(head);
  const more = (value: bigint) => (value * 5n) / 4n + 1n;
  const maxPriorityFeePerGas = more(fees.maxPriorityFeePerGas);
  const raised = more(fees.maxFeePerGas);
  const needed = now.maxFeePerGas + maxPriorityFeePerGas;
  // biome-ignore lint/complexity/useMathMinMax: Math.max does not take bigints
  return { maxPriorityFeePerGas, maxFeePerGas: raised > needed ? raised : needed };
}
