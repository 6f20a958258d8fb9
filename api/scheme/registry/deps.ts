import type { Chain } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import type { Log } from "../../platform/log.ts";
import type { Operations } from "../../platform/operations/index.ts";
import type { Credentials } from "../credentials/index.ts";
import type { CredentialVerifier } from "../verification/index.ts";
import type { Registry } from "./registry.ts";

/** Finds the households that an implementer may see in addition to those that it registered. */
export type CertificateLookup = {
  /** Whether an implementer's certificates allocate anything to a household; both by index. */
  serves(implementer: number, household: number): Promise<boolean>;
};

/** Dependencies of the services in this folder. */
export type RegistryDeps = {
  certificates: CertificateLookup;
  credentials: Credentials;
  log: Log;
  chain: Chain;
  clock: Clock;
  db: Database;
  operations: Operations;
  registry: Registry;
  verifier: CredentialVerifier;
};
