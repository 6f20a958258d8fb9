import type { ChainEvent } from "./activity.ts";

/** When and by what transaction a participant was registered. */
export const registrationOf = (event: Pick<ChainEvent, "block" | "transaction">) => ({
  registeredAt: event.block.timestamp,
  transactionHash: event.transaction.hash,
});
