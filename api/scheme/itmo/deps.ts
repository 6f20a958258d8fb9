import type { Chain } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import type { CertificateDirectory } from "../certificates/index.ts";
import type { Parameters } from "../parameters/index.ts";
import type { Registry } from "../registry/index.ts";
import type { Itmo } from "./itmo.ts";
import type { Proofs } from "./proof/proofs.ts";

/** Dependencies of the ITMO services. */
export type ItmoDeps = {
  chain: Chain;
  clock: Clock;
  db: Database;
  itmo: Itmo;
  proofs: Proofs;
  certificates: CertificateDirectory;
  parameters: Parameters;
  registry: Registry;
};
