import type { ChainEvent } from "./activity.ts";

/** The time and transaction of a participant's registration. */
export const registrationOf = (event: Pick<ChainEvent, "block" | "transaction">) => ({
  registeredAt: event.block.timestamp,
  transactionHash: event.transaction.hash,
});
