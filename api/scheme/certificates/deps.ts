import type { Chain } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import type { RuleDetail } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { Operations } from "../../platform/operations/index.ts";
import type { Credentials } from "../credentials/index.ts";
import type { Parameters } from "../parameters/index.ts";
import type { Registry } from "../registry/index.ts";
import type { CredentialVerifier } from "../verification/index.ts";
import type { CertificateDirectory } from "./directory.ts";
import type { HouseholdPeriod } from "./reservations.ts";

/** The reduction that a certificate counts, apart from how much it is. */
export type CountedReduction = HouseholdPeriod & {
  implementer: number;
  plan: number;
  /** Campaign that the certificate's credential names; absent where it names none. */
  campaignId?: string | undefined;
};

/** Lists the open findings of campaigns that prevent a certificate which was not made by a campaign. */
export type FindingsCheck = (counted: CountedReduction) => Promise<RuleDetail[]>;

/** Dependencies of the services in this folder. */
export type CertificateDeps = {
  certificates: CertificateDirectory;
  /** Given by the composition: campaigns are built on certificates. */
  campaignFindings: FindingsCheck;
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
