import { eventsIn } from "../../platform/chain/contracts.ts";
import type { MinedCall } from "../../platform/chain/outbox.ts";

/** The number of the conversion that a transaction requested. */
export function conversionIn(address: `0x${string}`, mined: Pick<MinedCall, "logs">): number {
  const [event] = eventsIn(mined.logs, { contract: "itmo", address, eventName: "ConversionRequested" });
  if (event === undefined) throw new Error("The transaction requested no conversion.");
  return event.args.conversion;
}
