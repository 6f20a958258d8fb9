import type { Address } from "viem";
import { AppError } from "../../../platform/errors.ts";
import { isZero } from "../../../platform/values/zero-address.ts";
import { Directory } from "../directory.ts";
import { idHash } from "../identifiers.ts";
import type { Ledger } from "../ledger.ts";
import type { ImplementerStore } from "./store.ts";
import type { ImplementerRow } from "./tables.ts";

export type ImplementerState = { account: Address; authorised: boolean };

/** Implementers by DID or index. */
export class ImplementerDirectory extends Directory<ImplementerRow> {
  readonly #ledger: Ledger;

  constructor(store: ImplementerStore, ledger: Ledger) {
    super({
      ...store,
      indexOnChain: (did) => ledger.participants.read.implementerIndex([idHash(did)]),
      isTaken: async (index) => !isZero((await ledger.participants.read.implementerOf([index])).account),
      fromChain: (index) => readRegistration(ledger, index),
    });
    this.#ledger = ledger;
  }

  byDid(did: string): Promise<ImplementerRow | null> {
    return this.byId(did);
  }

  /** Read the current account and status. */
  async stateOf(index: number): Promise<ImplementerState> {
    return this.#ledger.participants.read.implementerOf([index]);
  }

  /** Read an implementer's debts for revoked certificates, in micro-CARBON: to burn, and to give to the pool. */
  async owedBy(index: number): Promise<{ debt: bigint; replacement: bigint }> {
    const { debtOf, replacementOf } = this.#ledger.certificates.read;
    const [debt, replacement] = await Promise.all([debtOf([index]), replacementOf([index])]);
    return { debt, replacement };
  }

  /** Read the account that may act for the implementer. @throws AppError FORBIDDEN while it is suspended */
  async accountOf(index: number): Promise<Address> {
    const { account, authorised } = await this.stateOf(index);
    if (authorised || isZero(account)) return account;
    const message = "The implementer is suspended.";
    throw new AppError("FORBIDDEN", message, { details: [{ rule: "implementer-authorised", message }] });
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
