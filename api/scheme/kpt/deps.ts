import type { Chain } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import type { Campaigns } from "../campaigns/index.ts";
import type { Credentials } from "../credentials/index.ts";
import type { Parameters } from "../parameters/index.ts";
import type { Registry } from "../registry/index.ts";
import type { SchemeFiles } from "../scheme-files/index.ts";
import type { Kpt } from "./kpt.ts";

/** Dependencies of the KPT services. */
export type KptServiceDeps = {
  campaigns: Campaigns;
  chain: Chain;
  clock: Clock;
  credentials: Credentials;
  db: Database;
  kpt: Kpt;
  parameters: Parameters;
  registry: Registry;
  schemeFiles: SchemeFiles;
};
