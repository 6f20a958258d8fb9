import type { Chain } from "../../platform/chain/chain.ts";
import type { Clock } from "../../platform/clock.ts";
import type { PlatformConfig } from "../../platform/config.ts";
import type { Database } from "../../platform/db/client.ts";
import type { Log } from "../../platform/log.ts";
import type { Operations } from "../../platform/operations/runner.ts";
import type { CertificateDirectory } from "../certificates/directory.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { Registry } from "../registry/registry.ts";
import type { SchemeFiles } from "../scheme-files/scheme-files.ts";
import type { CredentialVerifier } from "../verification/credential-verifier.ts";
import type { Campaigns } from "./campaigns.ts";
import type { VerifiedClaims } from "./verified-claims.ts";

/** What the services of this folder work with. */
export type CampaignDeps = {
  campaigns: Campaigns;
  chain: Chain;
  clock: Clock;
  config: PlatformConfig;
  credentials: Credentials;
  db: Database;
  kpt: VerifiedClaims;
  log: Log;
  operations: Operations;
  certificates: CertificateDirectory;
  registry: Registry;
  schemeFiles: SchemeFiles;
  verifier: CredentialVerifier;
};
