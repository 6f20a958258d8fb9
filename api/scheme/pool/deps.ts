import type { Chain } from "../../platform/chain/chain.ts";
import type { IndexerClient } from "../../platform/indexer/client.ts";
import type { Registry } from "../registry/registry.ts";
import type { Pool } from "./pool.ts";

/** What the services of this folder work with. */
export type PoolDeps = {
  chain: Chain;
  indexer: IndexerClient;
  pool: Pool;
  registry: Registry;
};
