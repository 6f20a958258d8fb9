import type { Chain } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { PlatformConfig } from "../../platform/config.ts";
import type { IndexerClient } from "../../platform/indexer/index.ts";
import type { CertificateDirectory } from "../certificates/index.ts";
import type { Registry } from "../registry/index.ts";
import type { CredentialVerifier } from "../verification/index.ts";
import type { Claims } from "./claims.ts";

/** Dependencies of the services in this folder. */
export type ClaimDeps = {
  chain: Chain;
  claims: Claims;
  clock: Clock;
  config: PlatformConfig;
  indexer: IndexerClient;
  certificates: CertificateDirectory;
  registry: Registry;
  verifier: CredentialVerifier;
};
