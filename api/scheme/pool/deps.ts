import type { Chain } from "../../platform/chain/index.ts";
import type { IndexerClient } from "../../platform/indexer/index.ts";
import type { Registry } from "../registry/index.ts";
import type { Pool } from "./pool.ts";

/** Dependencies of the pool's services. */
export type PoolDeps = {
  chain: Chain;
  indexer: IndexerClient;
  pool: Pool;
  registry: Registry;
};
