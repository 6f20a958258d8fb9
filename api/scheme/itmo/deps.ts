import type { Chain } from "../../platform/chain/chain.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/client.ts";
import type { CertificateDirectory } from "../certificates/directory.ts";
import type { Registry } from "../registry/registry.ts";
import type { Itmo } from "./itmo.ts";
import type { Proofs } from "./proof/proofs.ts";

/** What the services of this folder work with. */
export type ItmoDeps = {
  chain: Chain;
  clock: Clock;
  db: Database;
  itmo: Itmo;
  proofs: Proofs;
  certificates: CertificateDirectory;
  registry: Registry;
};
