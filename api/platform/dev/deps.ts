import type { Chain } from "../chain/index.ts";
import type { PlatformConfig } from "../config.ts";

/** What the services of this folder work with. */
export type FaucetDeps = {
  chain: Chain;
  config: PlatformConfig;
};
