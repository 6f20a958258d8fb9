import type { Chain } from "../../platform/chain/chain.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/client.ts";
import type { Campaigns } from "../campaigns/campaigns.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { Registry } from "../registry/registry.ts";
import type { SchemeFiles } from "../scheme-files/scheme-files.ts";
import type { Kpt } from "./kpt.ts";

/** What the services of this folder work with. */
export type KptServiceDeps = {
  campaigns: Campaigns;
  chain: Chain;
  clock: Clock;
  credentials: Credentials;
  db: Database;
  kpt: Kpt;
  registry: Registry;
  schemeFiles: SchemeFiles;
};
