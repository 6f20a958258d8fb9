import { type Address, type Hex, zeroAddress } from "viem";
import {
  BatchCollector,
  type Chain,
  encodeCall,
  eventsIn,
  type MinedCall,
  simulate,
} from "../../../platform/chain/index.ts";

/** A household to register. `account`: the account that is proposed for it. */
export type RegistrationOrder = { hash: Hex; account: Address | undefined };

/** What one transaction registered, for each of its orders: the indexes of its new households by their hashes. */
export type Registrations = { indexes: ReadonlyMap<Hex, number>; transactionHash: Hex };

export type RegistrationCollector = BatchCollector<RegistrationOrder, Registrations>;

/** Twice what the snapshot measures for a new storage slot and its event. Unused gas is not paid for. */
const gas = { base: 150_000n, order: 60_000n, account: 70_000n };

/** Collect registrations that arrive together and make them in one transaction. The contract skips known households. */
export function openRegistrationCollector(chain: Chain): RegistrationCollector {
  const { operator } = chain.senders;
  const address = chain.addresses.participants;
  return new BatchCollector<RegistrationOrder, Registrations>(chain, {
    purpose: "household.register",
    sender: "operator",
    contract: "participants",
    functionName: "registerHouseholds",
    maxOrders: 200,
    gatherMs: 5,
    // Two calls for one household are in two transactions, so that the second one finds it registered.
    keyOf: ({ hash }) => hash,
    gasOf,
    argsOf,
    review: async (orders) => {
      const data = encodeCall("participants", "registerHouseholds", argsOf(orders));
      const most = orders.reduce((sum, order) => sum + gasOf(order), gas.base);
      await simulate(chain, { from: operator.address, to: address, data, gas: most });
      return orders.map(() => null);
    },
    read: (mined) => readRegistrations(mined, address),
  });
}

function gasOf({ account }: RegistrationOrder): bigint {
  return gas.order + (account === undefined ? 0n : gas.account);
}

function argsOf(orders: readonly RegistrationOrder[]) {
  const accounts = orders.some(({ account }) => account !== undefined);
  return [orders.map(({ hash }) => hash), accounts ? orders.map(({ account }) => account ?? zeroAddress) : []] as const;
}

/** The logs do not name the positions of skipped households, so each order gets what the whole transaction registered. */
function readRegistrations({ logs, transactionHash }: MinedCall, address: Address): Registrations[] {
  const indexes = new Map<Hex, number>();
  for (const { args } of eventsIn(logs, { contract: "participants", address, eventName: "HouseholdsRegistered" })) {
    for (const [i, hash] of args.households.entries()) indexes.set(hash, args.firstHousehold + i);
  }
  const skipped = eventsIn(logs, { contract: "participants", address, eventName: "HouseholdSkipped" });
  return Array.from({ length: indexes.size + skipped.length }, () => ({ indexes, transactionHash }));
}
