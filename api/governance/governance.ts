import type { Chain } from "../chain/chain.ts";
import type { Database } from "../db/client.ts";
import type { Log } from "../log.ts";
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
  const reader = new HistoryReader(chain);
  const read = async (): Promise<CouncilNow> => {
    const [state, history, now] = await Promise.all([
      readCouncilState(chain.client, chain.contracts),
      reader.read(),
      chain.now(),
    ]);
    const operations = Object.fromEntries([...history.operations].map(([id, past]) => [id, past.operation]));
    const context = { chainId: chain.id, contracts: chain.contracts, state, operations };
    return { context, history, now: new Date(Number(now) * 1000) };
  };
  const carrier = new Carrier({ chain, store, read, log });
  carrier.start();
  return { store, carrier, read, close: () => carrier.close() };
}
