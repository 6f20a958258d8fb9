import type { IndexerClient } from "../../platform/indexer/index.ts";
import type { Log } from "../../platform/log.ts";
import type { CertificateDirectory } from "../certificates/index.ts";
import type { RegistryDeps } from "../registry/index.ts";
import type { HouseholdCodes } from "./household-codes.ts";

/** Dependencies of the services in this folder. */
export type CodeDeps = RegistryDeps & {
  codes: HouseholdCodes;
  certificates: CertificateDirectory;
  indexer: IndexerClient;
  log: Log;
};
