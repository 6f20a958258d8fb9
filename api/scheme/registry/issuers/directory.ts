import { storableInteger } from "../../../../wire/src/chain-values.ts";
import { idHash } from "../identifiers.ts";
import type { Ledger } from "../ledger.ts";
import type { IssuerStore } from "./store.ts";
import type { IssuerRow } from "./tables.ts";

/** Trusted issuers. Unlike other participants they change, so each read uses the chain's events. */
export class IssuerDirectory {
  readonly #store: IssuerStore;
  readonly #ledger: Ledger;

  constructor(store: IssuerStore, ledger: Ledger) {
    this.#store = store;
    this.#ledger = ledger;
  }

  /**
   * Ask the chain whether a credential that was issued at `time` (seconds since 1970) is trusted: its issuer must be
   * trusted for its type now and at that time, in the same period.
   */
  async isTrusted(did: string, credentialType: string, time: bigint): Promise<boolean> {
    return this.#ledger.participants.read.isTrusted([idHash(did), idHash(credentialType), time]);
  }

  /** Read an issuer from the chain's events; null when it has never been trusted. */
  async byDid(did: string): Promise<IssuerRow | null> {
    const issuerHash = idHash(did);
    const [trusted, ended] = await Promise.all([
      this.#ledger.past("participants", "IssuerTrusted", { issuerHash }),
      this.#ledger.past("participants", "IssuerTrustEnded", { issuerHash }),
    ]);
    const granted = trusted.at(-1);
    if (!granted) return null;
    const present = await this.#presentPeriod(trusted, ended);
    const end = ended.findLast((event) => comesAfter(event, granted));
    const last = end ?? granted;
    const row: IssuerRow = {
      did: granted.args.did,
      credentialTypes: [...new Set(present.flatMap((event) => event.args.credentialTypes))],
      validFrom: storableInteger(granted.args.validFrom),
      validUntil: storableInteger(last.args.validUntil),
      transactionHash: last.transactionHash,
      blockNumber: last.blockNumber,
      updatedAt: await this.#ledger.timeOf(last.blockNumber),
    };
    await this.#store.save(row);
    return row;
  }

  /**
   * The grants of the issuer's last period. A period that has ended is followed by a separate one with separate types.
   */
  async #presentPeriod(trusted: readonly Granted[], ended: readonly Ended[]): Promise<readonly Granted[]> {
    let first = 0;
    for (let next = 1; next < trusted.length; next++) {
      const [before, granted] = [trusted[next - 1] as Granted, trusted[next] as Granted];
      const end = ended.findLast((event) => comesAfter(event, before) && comesAfter(granted, event)) ?? before;
      const { validUntil } = end.args;
      if (validUntil === 0n) continue;
      const time = BigInt(Math.floor((await this.#ledger.timeOf(granted.blockNumber)).getTime() / 1000));
      if (validUntil < time) first = next;
    }
    return trusted.slice(first);
  }

  /** Store issuers that were trusted without this API, so that lists are complete. */
  async catchUp(): Promise<void> {
    const events = await this.#ledger.past("participants", "IssuerTrusted", {});
    for (const did of new Set(events.map(({ args }) => args.did))) {
      if (!(await this.#store.byDid(did))) await this.byDid(did);
    }
  }
}

type Ended = Position & { args: { validUntil: bigint } };
type Granted = Ended & { args: { credentialTypes: readonly string[] } };
type Position = { blockNumber: bigint; logIndex: number };

function comesAfter(event: Position, other: Position): boolean {
  if (event.blockNumber !== other.blockNumber) return event.blockNumber > other.blockNumber;
  return event.logIndex > other.logIndex;
}
