import { encodeSwapId } from "../../wire/src/ids.ts";
import type { swap } from "../ponder.schema.ts";
import { type ChainEvent, sequenceOf } from "./activity.ts";

type Swap = typeof swap.$inferInsert;
type SwapEvent = ChainEvent & {
  args: { account: `0x${string}`; carbonAmount: bigint; stablecoinAmount: bigint; price: bigint };
};

/** Micro-CARBON of one CARBON. */
const unit = 1_000_000n;

/** The common part of the two events of a swap. `fee` is the current one. */
export function swapRow(event: SwapEvent, fee: number): Omit<Swap, "side"> {
  const { account, carbonAmount, stablecoinAmount, price } = event.args;
  const cost = (carbonAmount * price) / unit - stablecoinAmount;
  const sequence = sequenceOf(event);
  return {
    sequence,
    publicId: encodeSwapId(sequence),
    account,
    carbonAmount,
    stablecoinAmount,
    price,
    fee,
    feeAmount: cost < 0n ? -cost : cost,
    blockNumber: event.block.number,
    swappedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  };
}
