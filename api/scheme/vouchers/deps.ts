import type { Chain } from "../../platform/chain/chain.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/client.ts";
import type { IndexerClient } from "../../platform/indexer/client.ts";
import type { Operations } from "../../platform/operations/runner.ts";
import type { CertificateDirectory } from "../certificates/directory.ts";
import type { Registry } from "../registry/registry.ts";
import type { Vouchers } from "./vouchers.ts";

/** What the services of this folder work with. */
export type VoucherDeps = {
  chain: Chain;
  clock: Clock;
  db: Database;
  indexer: IndexerClient;
  operations: Operations;
  certificates: CertificateDirectory;
  registry: Registry;
  vouchers: Vouchers;
};
