import type { Chain } from "../../platform/chain/chain.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/client.ts";
import type { Log } from "../../platform/log.ts";
import type { Operations } from "../../platform/operations/runner.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { Registry } from "../registry/registry.ts";
import type { CredentialVerifier } from "../verification/credential-verifier.ts";
import type { CertificateDirectory } from "./directory.ts";

/** What the services of this folder work with. */
export type CertificateDeps = {
  certificates: CertificateDirectory;
  log: Log;
  chain: Chain;
  clock: Clock;
  credentials: Credentials;
  db: Database;
  operations: Operations;
  registry: Registry;
  verifier: CredentialVerifier;
};
