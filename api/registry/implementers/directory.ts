import type { Address } from "viem";
import { Directory } from "../directory.ts";
import { idHash, isZero } from "../identifiers.ts";
import type { Ledger } from "../ledger.ts";
import type { ImplementerStore } from "./store.ts";
import type { ImplementerRow } from "./tables.ts";

/** Implementers by DID or index. */
export class ImplementerDirectory extends Directory<ImplementerRow> {
  readonly #ledger: Ledger;

  constructor(store: ImplementerStore, ledger: Ledger) {
    super({
      ...store,
      indexOnChain: (did) => ledger.participants.read.implementerIndex([idHash(did)]),
      isTaken: async (index) => !isZero(await ledger.participants.read.implementerAccount([index])),
      fromChain: (index) => readRegistration(ledger, index),
    });
    this.#ledger = ledger;
  }

  byDid(did: string): Promise<ImplementerRow | null> {
    return this.byId(did);
  }

  async accountOf(index: number): Promise<Address> {
    return this.#ledger.participants.read.implementerAccount([index]);
  }
}

async function readRegistration(ledger: Ledger, implementer: number): Promise<ImplementerRow | null> {
  const [event] = await ledger.past("participants", "ImplementerRegistered", { implementer });
  if (!event) return null;
  return {
    did: event.args.did,
    implementer,
    name: event.args.name,
    transactionHash: event.transactionHash,
    registeredAt: await ledger.timeOf(event.blockNumber),
  };
}
