import { eventsIn, type MinedCall } from "../../../platform/chain/index.ts";

/** Read the number of the conversion that a transaction requested. @throws Error if it requested none */
export function conversionIn(address: `0x${string}`, mined: Pick<MinedCall, "logs">): number {
  const [event] = eventsIn(mined.logs, { contract: "itmo", address, eventName: "ConversionRequested" });
  if (event === undefined) throw new Error("The transaction requested no conversion.");
  return event.args.conversion;
}
