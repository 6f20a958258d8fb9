import { isZero } from "../../../platform/values/zero-address.ts";
import { Directory } from "../directory.ts";
import { idHash } from "../identifiers.ts";
import type { Ledger } from "../ledger.ts";
import type { SupplierStore } from "./store.ts";
import type { SupplierRow } from "./tables.ts";

export type SupplierState = { account: `0x${string}`; authorised: boolean; flagged: boolean };

/** Suppliers by DID or index, with their current state on chain. */
export class SupplierDirectory extends Directory<SupplierRow> {
  readonly #ledger: Ledger;

  constructor(store: SupplierStore, ledger: Ledger) {
    super({
      ...store,
      indexOnChain: (did) => ledger.participants.read.supplierIndex([idHash(did)]),
      isTaken: async (index) => !isZero((await ledger.participants.read.supplierOf([index])).account),
      fromChain: (index) => readRegistration(ledger, index),
    });
    this.#ledger = ledger;
  }

  byDid(did: string): Promise<SupplierRow | null> {
    return this.byId(did);
  }

  /** Read the current account and status. */
  async stateOf(index: number): Promise<SupplierState> {
    return this.#ledger.participants.read.supplierOf([index]);
  }
}

async function readRegistration(ledger: Ledger, supplier: number): Promise<SupplierRow | null> {
  const [event] = await ledger.past("participants", "SupplierRegistered", { supplier });
  if (!event) return null;
  return {
    did: event.args.did,
    supplier,
    name: event.args.name,
    region: event.args.region || null,
    transactionHash: event.transactionHash,
    registeredAt: await ledger.timeOf(event.blockNumber),
  };
}
