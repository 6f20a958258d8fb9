import type { Chain } from "../chain/index.ts";
import type { Clock } from "../clock.ts";
import type { PlatformConfig } from "../config.ts";
import type { Log } from "../log.ts";
import type { Sessions } from "./sessions.ts";

/** Dependencies of this folder's services. */
export type SessionDeps = {
  chain: Chain;
  clock: Clock;
  config: PlatformConfig;
  log: Log;
  sessions: Sessions;
};
