import type { ContractEventName, Hex } from "viem";
import type { Abis, ContractName, DecodedEvent } from "../../platform/chain/index.ts";
import type { Described, EventParties, Place } from "../../platform/events/index.ts";
import type { EventLookup } from "./lookup.ts";

type Describe<Args> = (args: Args, look: EventLookup, transactionHash: Hex, place: Place) => Promise<Described[]>;
/** Takes the arguments of one event. The type `never` prevents calls with other arguments. */
export type Describer = Describe<never>;

/** Pair the name of a contract's event with the function that describes it to subscribers. */
export function on<C extends ContractName, E extends ContractEventName<Abis[C]>>(
  _contract: C,
  eventName: E,
  describe: Describe<DecodedEvent<C, E>["args"]>,
): [string, Describer] {
  return [eventName, describe];
}

export const nobody: EventParties = { supplierDid: null, implementerDid: null, householdDid: null };
/** Visible to every key. */
export const everyone: EventParties = { ...nobody, everyone: true };
