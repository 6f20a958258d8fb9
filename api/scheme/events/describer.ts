import type { ContractEventName, Hex } from "viem";
import type { Abis, ContractName, DecodedEvent } from "../../platform/chain/index.ts";
import type { Described, EventParties, Place } from "../../platform/events/index.ts";
import type { EventLookup } from "./lookup.ts";

type Describe<Args> = (args: Args, look: EventLookup, transactionHash: Hex, place: Place) => Promise<Described[]>;
/** Called with the arguments of its own event only: `never` keeps everyone else from calling it. */
export type Describer = Describe<never>;

/** The name of an event of a contract, and what subscribers are told of it. */
export function on<C extends ContractName, E extends ContractEventName<Abis[C]>>(
  _contract: C,
  eventName: E,
  describe: Describe<DecodedEvent<C, E>["args"]>,
): [string, Describer] {
  return [eventName, describe];
}

export const nobody: EventParties = { supplierDid: null, implementerDid: null, householdDid: null };
/** What every key may know. */
export const everyone: EventParties = { ...nobody, everyone: true };
