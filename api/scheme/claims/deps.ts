import type { Chain } from "../../platform/chain/chain.ts";
import type { Clock } from "../../platform/clock.ts";
import type { PlatformConfig } from "../../platform/config.ts";
import type { IndexerClient } from "../../platform/indexer/client.ts";
import type { CertificateDirectory } from "../certificates/directory.ts";
import type { Registry } from "../registry/registry.ts";
import type { CredentialVerifier } from "../verification/credential-verifier.ts";
import type { Claims } from "./claims.ts";

/** What the services of this folder work with. */
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
