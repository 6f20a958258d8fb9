import { idHash } from "../identifiers.ts";
import type { Ledger } from "../ledger.ts";
import type { IssuerStore } from "./store.ts";
import type { IssuerRow } from "./tables.ts";

/** Trusted issuers. Unlike other participants they change, so one is always read from the chain's events. */
export class IssuerDirectory {
  readonly #store: IssuerStore;
  readonly #ledger: Ledger;

  constructor(store: IssuerStore, ledger: Ledger) {
    this.#store = store;
    this.#ledger = ledger;
  }

  /** Whether an issuer was trusted for a credential type at a time (seconds since 1970). The chain's verdict. */
  async isTrusted(did: string, credentialType: string, time: bigint): Promise<boolean> {
    return this.#ledger.participants.read.isTrusted([idHash(did), idHash(credentialType), time]);
  }

  /** What the chain's events say of an issuer; null when it has never been trusted. */
  async byDid(did: string): Promise<IssuerRow | null> {
    const issuerHash = idHash(did);
    const [trusted, ended] = await Promise.all([
      this.#ledger.past("participants", "IssuerTrusted", { issuerHash }),
      this.#ledger.past("participants", "IssuerTrustEnded", { issuerHash }),
    ]);
    const granted = trusted.at(-1);
    if (!granted) return null;
    const end = ended.findLast((event) => comesAfter(event, granted));
    const last = end ?? granted;
    const row: IssuerRow = {
      did: granted.args.did,
      credentialTypes: [...new Set(trusted.flatMap((event) => event.args.credentialTypes))],
      validFrom: granted.args.validFrom,
      validUntil: last.args.validUntil,
      transactionHash: last.transactionHash,
      blockNumber: last.blockNumber,
      updatedAt: await this.#ledger.timeOf(last.blockNumber),
    };
    await this.#store.save(row);
    return row;
  }

  /** Stores issuers that were trusted without this API, so that lists are whole. */
  async catchUp(): Promise<void> {
    const events = await this.#ledger.past("participants", "IssuerTrusted", {});
    for (const did of new Set(events.map(({ args }) => args.did))) {
      if (!(await this.#store.byDid(did))) await this.byDid(did);
    }
  }
}

type Position = { blockNumber: bigint; logIndex: number };

function comesAfter(event: Position, other: Position): boolean {
  if (event.blockNumber !== other.blockNumber) return event.blockNumber > other.blockNumber;
  return event.logIndex > other.logIndex;
}
