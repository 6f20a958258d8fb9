import type { Chain } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { PlatformConfig } from "../../platform/config.ts";
import type { Database } from "../../platform/db/index.ts";
import type { Log } from "../../platform/log.ts";
import type { Operations } from "../../platform/operations/index.ts";
import type { CertificateDirectory, FindingsCheck } from "../certificates/index.ts";
import type { Credentials } from "../credentials/index.ts";
import type { DeviceStore } from "../devices/index.ts";
import type { Parameters } from "../parameters/index.ts";
import type { Registry } from "../registry/index.ts";
import type { SchemeFiles } from "../scheme-files/index.ts";
import type { CredentialVerifier } from "../verification/index.ts";
import type { Campaigns } from "./campaigns.ts";
import type { DrawSecrets } from "./draw/secrets.ts";
import type { VerifiedClaims } from "./verified-claims.ts";

/** Dependencies of the campaign services. */
export type CampaignDeps = {
  campaigns: Campaigns;
  chain: Chain;
  clock: Clock;
  config: PlatformConfig;
  credentials: Credentials;
  db: Database;
  drawSecrets: DrawSecrets;
  kpt: VerifiedClaims;
  log: Log;
  operations: Operations;
  certificates: CertificateDirectory;
  campaignFindings: FindingsCheck;
  devices: DeviceStore;
  parameters: Parameters;
  registry: Registry;
  schemeFiles: SchemeFiles;
  verifier: CredentialVerifier;
};
