import type { Chain } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import type { Log } from "../../platform/log.ts";
import type { Operations } from "../../platform/operations/index.ts";
import type { Credentials } from "../credentials/index.ts";
import type { Parameters } from "../parameters/index.ts";
import type { Registry } from "../registry/index.ts";
import type { CredentialVerifier } from "../verification/index.ts";
import type { CertificateDirectory } from "./directory.ts";

/** Dependencies of the services in this folder. */
export type CertificateDeps = {
  certificates: CertificateDirectory;
  log: Log;
  chain: Chain;
  clock: Clock;
  credentials: Credentials;
  db: Database;
  operations: Operations;
  parameters: Parameters;
  registry: Registry;
  verifier: CredentialVerifier;
};
