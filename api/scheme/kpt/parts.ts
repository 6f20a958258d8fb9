import type { Chain } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import type { Log } from "../../platform/log.ts";
import type { Workers } from "../../platform/workers/index.ts";
import type { Credentials } from "../credentials/index.ts";
import type { SchemeFiles } from "../scheme-files/index.ts";
import type { KptCollector } from "./collector.ts";
import type { KptStep } from "./steps.ts";
import type { KptStore } from "./store.ts";

/** Dependencies of the work on claims. */
export type KptDeps = {
  chain: Chain;
  clock: Clock;
  credentials: Credentials;
  db: Database;
  /** True when this process alone can reach the database. */
  exclusive: boolean;
  log: Log;
  schemeFiles: SchemeFiles;
  workers: Workers;
};

/** Parts of the KPT services. */
export type KptParts = {
  deps: KptDeps;
  store: KptStore;
  collector: KptCollector;
  /** For tests: stops a filing where a killed process would. */
  step: ((step: KptStep) => Promise<void> | void) | undefined;
};
