import type { Hex } from "viem";
import type { Chain } from "../../platform/chain/chain.ts";
import type { Head } from "../../platform/chain/head.ts";
import { orUnavailable } from "../../platform/chain/submit.ts";
import type { Database } from "../../platform/db/client.ts";
import type { Log } from "../../platform/log.ts";
import { Carrier } from "./carrier.ts";
import { type CouncilContext, type CouncilState, readCouncilState } from "./council-state.ts";
import { type CouncilHistory, HistoryReader } from "./history.ts";
import { type GovernanceStore, openGovernanceStore } from "./store.ts";

export type CouncilNow = {
  context: CouncilContext & { state: CouncilState };
  history: CouncilHistory;
  /** Chain time. */
  now: Date;
};

/** What the routes of proposals work with. */
export type Governance = {
  store: GovernanceStore;
  carrier: Carrier;
  /** State, past and time of the council as the chain has them now. */
  read: () => Promise<CouncilNow>;
  close: () => Promise<void>;
};

/** Open the council's side of the API; a proposal whose approvals are complete is carried to the chain by itself. */
export function openGovernance({ db, chain, log }: { db: Database; chain: Chain; log: Log }): Governance {
  const store = openGovernanceStore(db);
  const reader = new CouncilReader(chain);
  const read = () => reader.now();
  const carrier = new Carrier({ chain, store, read, log });
  carrier.start();
  return { store, carrier, read, close: () => carrier.close() };
}

/** Reads the council, all of it at one block; each block once. */
class CouncilReader {
  readonly #chain: Chain;
  readonly #history: HistoryReader;
  #last: { hash: Hex; council: Promise<CouncilNow> } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(chain: Chain) {
    this.#chain = chain;
    this.#history = new HistoryReader(chain);
  }

  /** @throws AppError UNAVAILABLE when the chain does not answer */
  now(): Promise<CouncilNow> {
    return orUnavailable(this.#latest());
  }

  async #latest(): Promise<CouncilNow> {
    const block = await this.#chain.latest();
    if (this.#last?.hash !== block.hash) {
      // One after the other: the history's memory is not made for two at once.
      const council = this.#turn.then(() => this.#read(block));
      this.#turn = council.catch(() => undefined);
      this.#last = { hash: block.hash, council };
      council.catch(() => {
        if (this.#last?.council === council) this.#last = undefined;
      });
    }
    return await this.#last.council;
  }

  async #read({ number, timestamp }: Head): Promise<CouncilNow> {
    const { id: chainId, client, contracts } = this.#chain;
    const [state, history] = await Promise.all([
      readCouncilState(client, contracts, number),
      this.#history.read(number),
    ]);
    const operations = Object.fromEntries([...history.operations].map(([id, past]) => [id, past.operation]));
    return { context: { chainId, contracts, state, operations }, history, now: new Date(Number(timestamp) * 1000) };
  }
}
