import type { Chain } from "../chain/index.ts";
import type { PlatformConfig } from "../config.ts";

/** Dependencies of this folder's services. */
export type FaucetDeps = {
  chain: Chain;
  config: PlatformConfig;
};
