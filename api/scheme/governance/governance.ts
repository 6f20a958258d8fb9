import type { Chain } from "../../platform/chain/index.ts";
import type { Database } from "../../platform/db/index.ts";
import type { Log } from "../../platform/log.ts";
import type { Workers } from "../../platform/workers/index.ts";
import { type CouncilNow, CouncilReader } from "./council-reader.ts";
import { ProposalExecutor } from "./proposal-executor.ts";
import { type GovernanceStore, openGovernanceStore } from "./store.ts";

/** What the routes of proposals use. */
export type Governance = {
  store: GovernanceStore;
  executor: ProposalExecutor;
  /** Read the council's current state, history and time from the chain. */
  read: () => Promise<CouncilNow>;
  close: () => Promise<void>;
};

export type GovernanceParts = { db: Database; chain: Chain; log: Log; workers: Workers };

/** Open the governance part of the API. Proposals with complete approvals are sent to the chain automatically. */
export function openGovernance({ db, chain, log, workers }: GovernanceParts): Governance {
  const store = openGovernanceStore(db);
  const reader = new CouncilReader(chain);
  const read = () => reader.now();
  const executor = new ProposalExecutor({ chain, store, read, log, workers });
  executor.start();
  return { store, executor, read, close: () => executor.close() };
}
