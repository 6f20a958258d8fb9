import type { Config } from "../../config.ts";
import type { Chain } from "../../platform/chain/chain.ts";
import type { Clock } from "../../platform/core.ts";
import type { IndexerClient } from "../../platform/indexer/client.ts";
import type { Registry } from "../registry/registry.ts";
import type { Claims } from "./claims.ts";
import type { CredentialVerifier } from "./credentials.ts";

/** What the services of this folder work with. */
export type ClaimDeps = {
  chain: Chain;
  claims: Claims;
  clock: Clock;
  config: Config;
  indexer: IndexerClient;
  registry: Registry;
  verifier: CredentialVerifier;
};
