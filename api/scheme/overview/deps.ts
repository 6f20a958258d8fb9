import type { Chain } from "../../platform/chain/index.ts";
import type { Database } from "../../platform/db/index.ts";
import type { IndexerClient } from "../../platform/indexer/index.ts";
import type { Campaigns } from "../campaigns/index.ts";
import type { Governance } from "../governance/index.ts";
import type { Registry } from "../registry/index.ts";

/** Dependencies of the services in this folder. */
export type OverviewDeps = {
  campaigns: Campaigns;
  chain: Chain;
  db: Database;
  governance: Governance;
  indexer: IndexerClient;
  registry: Registry;
};
