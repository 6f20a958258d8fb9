import type { Config } from "../../config.ts";
import type { Chain } from "../chain/chain.ts";

/** What the services of this folder work with. */
export type FaucetDeps = {
  chain: Chain;
  config: Config;
};
