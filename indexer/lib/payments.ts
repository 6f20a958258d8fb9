import type { payment } from "../ponder.schema.ts";
import { type ChainEvent, sequenceOf } from "./activity.ts";

type PaidEvent = ChainEvent & {
  args: {
    redemption: bigint;
    supplier: number;
    account: `0x${string}`;
    carbonAmount: bigint;
    setOff: bigint;
    stablecoinAmount: bigint;
    fallbackReason: `0x${string}`;
  };
};

/** Compute the payment of a ClaimPaid event: stablecoin, or else the CARBON that remains after the set-off. */
export function paymentRow(event: PaidEvent): typeof payment.$inferInsert {
  const { redemption, supplier, account, carbonAmount, setOff, stablecoinAmount, fallbackReason } = event.args;
  const inStablecoin = stablecoinAmount > 0n;
  return {
    claimId: redemption,
    sequence: sequenceOf(event),
    supplierIndex: supplier,
    account,
    carbonAmount,
    setOff,
    asset: inStablecoin ? "stablecoin" : "CARBON",
    amount: inStablecoin ? stablecoinAmount : carbonAmount - setOff,
    fallbackReason: fallbackReason === "0x00000000" ? null : fallbackReason,
    blockNumber: event.block.number,
    paidAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  };
}
